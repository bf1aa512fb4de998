"""Runs of agents as other programs recorded them: what was asked for, what came, what was written.

`spans` reads what instrumentation exports, `messages` reads conversations; both give `calls` of
tools, which become the events of an `AgentRun`. `files` reads the files, `reports` makes reports.
"""
