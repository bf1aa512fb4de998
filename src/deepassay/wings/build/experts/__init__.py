"""LiveResearchBench's line: a set that experts draft and people verify."""
