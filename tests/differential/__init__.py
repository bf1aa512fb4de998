"""Ours beside small independent programs, written from the papers and from notes on the released
programs, and sharing no code with ours. `benchmarks.differential` goes through more cases."""

from collections.abc import Mapping
from typing import Final

from tests.differential import deepeval, fact, race, rubrics
from tests.differential.comparing import Check

CHECKS: Final[Mapping[str, Check]] = {
    "race paper": race.paper,
    "race code": race.code,
    "fact code": fact.code,
    "fact published": fact.published,
    "deepeval checklist paper": deepeval.checklist_paper,
    "deepeval checklist code": deepeval.checklist_code,
    "deepeval pointwise paper": deepeval.pointwise_paper,
    "deepeval pointwise code": deepeval.pointwise_code,
    "deepeval depth paper": deepeval.depth_paper,
    "deepeval depth code": deepeval.depth_code,
    "deepeval citation tree": deepeval.citation_tree,
    "rubrics paper": rubrics.paper,
    "rubrics code": rubrics.code,
    "rubrics chunks": rubrics.chunks,
}
