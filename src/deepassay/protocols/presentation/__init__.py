"""Presentation: ten checks of a report's form (LiveResearchBench, 4.1)."""
