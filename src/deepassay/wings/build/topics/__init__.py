"""From a log of queries to topics, and from these to the numbers of tasks of a set."""
