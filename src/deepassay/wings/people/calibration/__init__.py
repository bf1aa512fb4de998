"""A judge calibrated against people: what its figures say in theirs, and how far that holds."""
