"""Who writes reports: our researcher, adapters for agents of others, search, the sandbox."""
