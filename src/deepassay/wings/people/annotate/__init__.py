"""Blind annotation in the browser."""
