"""FACT: do the sources say what a report cites them for (DeepResearch Bench, 3.2 and E)."""
