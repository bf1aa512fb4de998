"""Reports as PDF and DOCX, turned into Markdown in a process of limited memory and time."""
