"""A judge on trial: whether its scores move as they should when reports are changed on purpose."""
