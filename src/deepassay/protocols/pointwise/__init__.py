"""Faults of a report that are pointed out one by one, and scored by how many there are."""
