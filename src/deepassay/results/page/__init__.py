"""The page of results: one HTML file that loads nothing and runs nothing."""
