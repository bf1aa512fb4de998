"""Searching for pages: in a corpus of one's own, or at a provider."""
