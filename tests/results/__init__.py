"""What the numbers of the findings room are held to."""
