"""What a figure is, and how it is drawn; which kinds there are, packages say."""
