"""Results as figures: what is drawn is the same numbers that the tables show."""
