"""Rubrics written by three people, in rounds."""
