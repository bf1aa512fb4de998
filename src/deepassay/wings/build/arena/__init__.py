"""DeepResearch Arena's line: from recordings of seminars to ranked tasks."""
