"""DeepAssay as its users install it: the built wheel, one extra at a time, in new environments.

`python -m tests.installed` builds them and does in each what the documents tell users of it; the
suite runs where everything is installed, and cannot see what is missing.
"""
