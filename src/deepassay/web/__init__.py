"""Pages served on this machine."""
