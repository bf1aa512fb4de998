"""Published numbers of a judge that is gone, beside those of one that is not."""
