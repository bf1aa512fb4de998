"""Bibliography: what of an expert's references a report cites."""
