"""Building task sets, and what their reports are judged by."""
