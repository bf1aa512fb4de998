"""The same reports under two judges: what the change of judge does to their figures."""
