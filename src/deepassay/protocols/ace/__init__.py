"""ACE: a report scored on the weighted checklist of its task (DeepResearch Arena)."""
