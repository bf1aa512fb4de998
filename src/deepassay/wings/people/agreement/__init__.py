"""Agreement of automated scores and verdicts with those of people."""
