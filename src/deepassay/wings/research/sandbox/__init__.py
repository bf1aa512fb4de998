"""A corpus served to other people's agents as the search engines and the web that they know."""
