"""The page of findings: one HTML file that loads nothing and runs nothing."""
