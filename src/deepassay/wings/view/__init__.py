"""The reading room: runs in the browser, for people who work with what was found."""
