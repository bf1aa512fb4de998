"""What people say: blind annotation, agreement with judges, calibration by their labels."""
