"""Agents of others: files, programs, Python functions, models and services."""
