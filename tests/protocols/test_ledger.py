import re
from functools import cache

from deepassay.files import read_yaml
from deepassay.protocols.bibliography.released import BibliographyQuirk
from deepassay.protocols.checklist_released import ChecklistQuirk
from deepassay.protocols.depth.released import DepthQuirk
from deepassay.protocols.fact.released_stages import FactQuirk
from deepassay.protocols.pointwise.released import IssueQuirk
from deepassay.protocols.protocol import PROMPTS
from deepassay.protocols.race.released_answers import RaceQuirk
from deepassay.protocols.race.reward import RewardQuirk
from deepassay.protocols.rubrics.released_grades import RubricQuirk
from deepassay.protocols.rubrics.released_sets import SetQuirk

FIELDS = ("id", "rows", "paper", "section", "says", "released", "edition_paper", "edition_code")


@cache
def ledger():
    """Its entries: read by who asks, as every worker imports this."""
    return read_yaml((PROMPTS.parent / "papers.yaml").read_text("utf-8"))


def test_every_quirk_of_the_code_stands_in_the_ledger_and_the_reverse():
    named = [code for entry in ledger() for code in entry.get("quirks", [])]
    fire = [*ChecklistQuirk, *RaceQuirk, *RewardQuirk, *FactQuirk, *IssueQuirk, *DepthQuirk]
    fire += [*RubricQuirk, *SetQuirk, *BibliographyQuirk]
    assert sorted(named) == sorted(map(str, fire))


def test_every_entry_is_complete(subtests):
    texts = ("id", "section", "says", "released", "edition_paper", "edition_code")
    for entry in ledger():
        with subtests.test(entry.get("id")):
            assert set(FIELDS) <= set(entry) <= {*FIELDS, "quirks"}
            assert entry["paper"] in ("arena", "bench", "rubrics", "live", "sets")
            assert all(re.fullmatch(r"[ABRLX]\d{1,2}", row) for row in entry["rows"])
            assert all(isinstance(entry[field], str) and entry[field] for field in texts)


def test_no_two_entries_have_one_name():
    names = [entry["id"] for entry in ledger()]
    assert len(set(names)) == len(names)
