"""Figures of findings."""
