"""Published agents, installed from the package index and started as users start them."""
