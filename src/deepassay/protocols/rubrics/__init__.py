"""Weighted criteria, each judged on its own (ResearchRubrics)."""
