"""Checklists on reports that exceed a judge's context: overlapping windows, gathered evidence."""
