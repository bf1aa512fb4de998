"""Process: a report held against what its agent was seen to ask for and to read (ours)."""
