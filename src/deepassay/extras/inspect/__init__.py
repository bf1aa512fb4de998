"""Inside Inspect: protocols as scorers, its logs as reports, and runs as its logs.

Nothing here loads Inspect before it is needed.
"""
