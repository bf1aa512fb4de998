"""DeepResearch Arena's own tasks: from what was said in a seminar to ranked research tasks."""
