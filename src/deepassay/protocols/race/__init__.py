"""RACE: reports held against a reference, criterion by criterion (DeepResearch Bench)."""
