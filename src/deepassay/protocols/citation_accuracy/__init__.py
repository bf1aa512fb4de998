"""Citation accuracy as a rubric tree: E1, E2 and E3 (LiveResearchBench, 4.2 and appendix E)."""
