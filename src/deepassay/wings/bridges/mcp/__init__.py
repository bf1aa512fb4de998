"""DeepAssay as tools of the Model Context Protocol, for agents that write or check reports."""
