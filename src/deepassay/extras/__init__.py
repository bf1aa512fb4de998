"""Bridges to programs of others: reached by entry points, or by name when a user asks for one."""
