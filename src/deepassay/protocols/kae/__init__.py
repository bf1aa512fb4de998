"""KAE: the key points of cited pages, and whether the report has them (DeepResearch Arena)."""
