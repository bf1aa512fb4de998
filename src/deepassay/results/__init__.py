"""What the scores mean: pure arithmetic over records; no network and no model."""
