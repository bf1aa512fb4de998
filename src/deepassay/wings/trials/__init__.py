"""Judges on trial: perturbed reports, audits, robustness, published labels."""
