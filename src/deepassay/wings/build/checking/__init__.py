"""Criteria on trial, by what a run says of them and by a question to a model."""
