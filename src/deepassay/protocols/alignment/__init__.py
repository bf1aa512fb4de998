"""The offline baseline for support: a statement laid beside the best passage of a page."""
