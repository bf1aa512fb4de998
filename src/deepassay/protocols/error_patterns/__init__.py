"""The eight error patterns of LiveResearchBench, appendix G: by code, and by a judge where not."""
