"""What reads a run file: rankings, tables, pages, exports; and what proves it or joins several."""
