"""What reports cite: pages that are fetched with care, read as text, and kept for ever."""
