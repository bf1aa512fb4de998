"""The papers' tables and figures, as printed, from runs."""
