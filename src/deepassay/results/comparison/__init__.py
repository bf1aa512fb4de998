"""Agents held against each other over the same tasks: how sure a difference is."""
