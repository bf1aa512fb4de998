"""Run files as tidy tables: one row for one thing, with keys that join."""
