"""Where the released program of RACE takes what edition `paper` refuses."""

from __future__ import annotations

from enum import StrEnum


class Quirk(StrEnum):
    """One code each; what the program does there is told in papers.yaml."""

    SALVAGED = "salvaged"
    FIRST_OF_TWO = "first-of-two"
    MISSING_DIMENSION = "missing-dimension"
    EXTRA_DIMENSION = "extra-dimension"
    MISSING_CRITERION = "missing-criterion"
    EXTRA_CRITERION = "extra-criterion"
    DUPLICATE_CRITERION = "duplicate-criterion"
    UNMATCHED_CRITERION = "unmatched-criterion"
    CASE_MATCH = "case-match"
    SUBSTRING_MATCH = "substring-match"
    SKIPPED_ITEM = "skipped-item"
    STRING_SCORE = "string-score"
    TRUTH_SCORE = "truth-score"
    SCORE_OUT_OF_RANGE = "score-out-of-range"
    TARGET_SCORE_ONLY = "target-score-only"
    MISSING_REFERENCE_SCORE = "missing-reference-score"
    LAST_REFERENCE_SCORE = "last-reference-score"
    ZERO_TOTAL = "zero-total"
    RATIO_OUT_OF_RANGE = "ratio-out-of-range"
    NAN = "nan"
    PROGRAM_STOPS = "program-stops"
