"""Asking in batches, which providers carry out within a day for half the price."""
