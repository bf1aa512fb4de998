"""Analysis depth: two reports on one task held against each other, five dimensions, both orders."""
