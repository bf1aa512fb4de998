"""Making what tasks are judged by: the criteria of RACE, once for a task."""
