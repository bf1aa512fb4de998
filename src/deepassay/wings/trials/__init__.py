"""Judges on trial: reports changed on purpose, audits, robustness of RACE."""
