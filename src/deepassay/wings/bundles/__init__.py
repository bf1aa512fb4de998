"""Runs that others can check: bundles, what was promised before a run, and boards of bundles."""
