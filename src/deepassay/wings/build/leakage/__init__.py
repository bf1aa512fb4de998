"""The leakage test: what a model knows of a task before it was published."""
