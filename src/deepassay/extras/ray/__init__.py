"""Cases on a Ray cluster: the driver writes, workers ask.

A worker carries out cases as one process does. In place of the run file it has a line to the
driver: what is known it asks for, what it comes by it tells, and it goes on once that is on the
disk. The driver alone writes and pays. No question is asked without its word, so that a worker
that is cut off pays for no more than what it had in flight.
"""
