"""What plans and runs: cases, agents at work, things made for tasks; and what that would take."""
