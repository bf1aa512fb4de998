"""A report as a reader sees it: Markdown as HTML that can do no harm, each word with its place."""
