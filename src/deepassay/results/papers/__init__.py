"""The numbered result tables and figures of the four papers, in their columns and order."""
