"""Deerflow+: the research agent of DeepAssay (LiveResearchBench, appendix D)."""
