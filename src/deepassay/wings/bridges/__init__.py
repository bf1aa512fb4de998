"""Bridges to what only some install: Inspect and Ray."""
