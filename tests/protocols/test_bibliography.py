"""Which works of an expert a report cites: what is taken, what is not, and what is told of it."""

from __future__ import annotations

import asyncio
import itertools
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepassay.errors import BadSetting
from deepassay.protocols.bibliography.matching import OTHER_NUMBER, OTHER_PAPER
from deepassay.protocols.bibliography.protocol import BibliographyRecall
from deepassay.protocols.bibliography.titles import index_of, title_words, titles_in
from deepassay.protocols.protocol import Case, RoleAskers
from deepassay.protocols.registry import parse
from deepassay.reports.report import Report
from deepassay.results.evidence import reading_of
from deepassay.score import Cause, Unscored
from deepassay.tasks.task import Task
from tests.protocols.judges import NO_SOURCES

LONG = "Measuring the tides of small harbours"


def written(*entries, body="It is high [1]."):
    listed = "\n".join(f"[{number}] {entry}" for number, entry in enumerate(entries, start=1))
    return (
        f"# Tides\n\n{body}\n\n## References\n\n{listed}\n" if entries else f"# Tides\n\n{body}\n"
    )


def scored(text, *works, **options):
    task = Task(id="t", prompt="How high?", bibliography=list(works))
    case = Case(task, Report(text, "heron", "t"))
    protocol = BibliographyRecall(**options)
    return asyncio.run(protocol.score(case, RoleAskers.alone(None), NO_SOURCES))


def verdict(text, work):
    """By what the one work was found."""
    items = reading_of(scored(text, work)).evidence.items
    return next(each.verdict for each in items if each.key == "b1")


ARXIV = {"arxiv": "2104.01234"}
NUMBERED = {"title": LONG, "arxiv": "2104.01234"}
GOATS = "The grazing habits of mountain goats in winter. arXiv:2104.01234"
SHORT = "by title, of fewer than 4 words"
LANCET = "10.1016/S0140-6736(20)30183-5"


@pytest.mark.parametrize(
    ("entry", "work", "said"),
    [
        (f"Heron, A. (2020). {LONG}. Journal of Tides.", LONG, "by title"),
        (f"A. Heron, “{LONG.upper()},” J. Tides, 2020.", LONG, "by title"),
        (f"Heron, A.: {LONG}. In: Tides (2020)", LONG, "by title"),
        (f"Heron A, {LONG}, 2020", LONG, "by title"),
        (f"[{LONG}](https://example.com/x), read in May", LONG, "by title"),
        (
            "Heron. Naïve Bayes—it’s fine after all. 2020",
            "Naive Bayes: its fine after all",
            "by title",
        ),
        ('Heron. The {BERT} of $\\beta$ G{\\"o}del. 2020', "The BERT of beta Gödel", "by title"),
        ("张三. 潮汐测量综述[J]. 2020", "潮汐测量综述", SHORT),
        ("Heron. Deep tides. 2020", "Deep tides", SHORT),
        ("Heron. A survey of deep tides. 2020", "Deep tides", "missing"),
        ("Heron. Deep tides: a primer. 2020", "Deep tides", "missing"),
        ("Heron. Deep tides, shallow ones and harbours. 2020", "Deep tides", "missing"),
        (f"Heron. {LONG}: a second look. 2020", LONG, "missing"),
        (f"Heron. {LONG} again. 2020", LONG, "missing"),
        ("Tides again. https://arxiv.org/pdf/2104.01234v3", ARXIV, "by arXiv number"),
        ("Tides. https://doi.org/10.48550/arXiv.2104.01234", ARXIV, "by arXiv number"),
        ("Tides. https://dl.acm.org/doi/abs/10.1145/33.44", {"doi": "10.1145/33.44"}, "by DOI"),
        (f"Tides. doi:{LANCET}.", {"doi": f"https://doi.org/{LANCET.lower()}"}, "by DOI"),
        ("Tides. https://link.example.com/pdf/10.1007/s1-2.pdf", {"doi": "10.1007/s1-2"}, "by DOI"),
        (f"{LONG}. doi:10.1145/33.44", {"title": LONG, "doi": "10.9999/other"}, OTHER_NUMBER),
        (f"{LONG}. doi:10.1145/33.44", NUMBERED, "by title"),
        (GOATS, NUMBERED, OTHER_PAPER),
        ("https://example.com/x", LONG, "missing"),
    ],
)
def test_a_work_is_found_by_what_says_which_it_is(entry, work, said):
    assert verdict(written(entry), work) == said


def test_links_in_the_text_are_sources_too():
    body = f"It is high [{LONG}](https://arxiv.org/abs/2104.01234) and [so](https://example.com/)."
    assert verdict(written(body=body), {"arxiv": "2104.01234"}) == "by arXiv number"
    assert verdict(written(body=body), LONG) == "by title"


def test_figures_and_counts():
    """Two of three works by three of five sources, one of which nobody can tell."""
    text = written(
        f"Heron. {LONG}. 2020",
        "Magpie. Tides of the moon and the sun. arXiv:2104.01234",
        f"Heron. {LONG}. Reprint in Harbours 2021",
        "Cuckoo. Nests of others, and how to find them. 2019",
        "https://example.com/x",
    )
    works = (LONG, {"title": "Tides of the moon and the sun", "arxiv": "2104.01234"}, "Not there")
    outcome = scored(text, *works)
    assert outcome.value == pytest.approx(2 / 3)
    assert outcome.tally == (2, 3)
    parts = dict(outcome.parts)
    f1 = 2 * (3 / 4) * (2 / 3) / (3 / 4 + 2 / 3)
    assert parts.pop("f1") == pytest.approx(f1)
    assert parts == {
        "recall": pytest.approx(2 / 3), "precision": 3 / 4, "works": 3, "references": 5,
        "found": 2, "nameless": 1,
    }  # fmt: skip
    kept = reading_of(outcome).evidence
    assert "1 of these have neither a title nor an identifier" in kept.summary
    assert {each.verdict for each in kept.items if each.key.startswith("r")} == {
        "not the expert's",
        "no title or identifier",
    }


def test_a_work_that_stands_twice_counts_once_unless_its_numbers_differ():
    one, other = {"title": LONG, "doi": "10.1/aaaa"}, {"title": LONG.upper(), "arxiv": "2104.01234"}
    assert scored(written("Nothing of the kind, as it seems."), one, other).parts["works"] == 1
    apart = {"title": LONG, "doi": "10.1234/b"}, {"title": LONG, "doi": "10.1234/c"}
    assert scored(written("Nothing of the kind, as it seems."), *apart).parts["works"] == 2


def test_citations_that_lead_nowhere_are_references_without_a_name():
    outcome = scored("# Tides\n\nIt is high [1], and low [2] [1].\n", LONG)
    assert outcome.parts["references"] == outcome.parts["nameless"] == 2
    assert outcome.parts["precision"] is None and outcome.value == 0


def test_without_an_expert_there_is_no_score_and_the_programs_count_nothing():
    outcome = scored(written("Tides."))
    assert isinstance(outcome, Unscored) and outcome.cause is Cause.MISSING_INPUT
    counted = scored(written("Tides."), edition="code")
    assert counted.value == 0
    assert reading_of(counted).evidence.quirks == ("bibliography-none-counts-zero",)


def test_quirks_are_named_where_they_have_a_part():
    entry = written("Heron. Other words altogether. https://arxiv.org/abs/2104.01234")
    work = {"title": LONG, "arxiv": "2104.01234"}
    alone = scored(entry, work, edition="code")
    assert alone.value == 0
    assert reading_of(alone).evidence.quirks == ("bibliography-titles-alone",)
    near = written(body=f"It is high [{LONG}s](https://example.com/x).")
    by_letters = scored(near, LONG, edition="code", set="deepscholar-papers")
    assert by_letters.value == 1
    assert reading_of(by_letters).evidence.quirks == ("bibliography-near-titles",)


def test_the_set_is_a_matter_of_edition_code():
    assert parse("bibliography(set='reportbench')") == (BibliographyRecall(),)
    assert str(parse("bibliography(set='deepscholar-papers')")[0]) == "bibliography"
    with pytest.raises(BadSetting, match="no program of that set counts references"):
        parse("bibliography(set='drb2')", "code")


WORDS = st.lists(
    st.sampled_from(["tide", "moon", "harbour", "of", "the", "deep", "small"]), min_size=1
)


@given(title=WORDS, before=WORDS, after=WORDS)
def test_a_longer_title_is_never_taken_for_one_that_it_holds(title, before, after):
    index = index_of([tuple(title)])
    whole = " ".join([*before, *title, *after])
    assert titles_in(f"Heron, A. {whole}. 2020", index) == ()
    found = titles_in(f"Heron, A. {' '.join(title)}. {' '.join(after)} 2020", index)
    assert found == (tuple(title),)


@given(st.text(max_size=60))
def test_words_of_anything_are_their_own(text):
    assert title_words(" ".join(title_words(text))) == title_words(text)


STYLES = (
    "{author} ({year}). {title}{stop} *{where}*.",
    "{author}, “{title},” {where}, {year}.",
    "{author}. {year}. {title}{stop} {where}.",
    "[{title}](https://example.com/{number}) - {where}",
)


def letters(title):
    """A title as other code compares it."""
    return re.sub(r"[\W_]+", "", re.sub(r"[{}$\\]", "", title)).lower()


@pytest.mark.parametrize("style", STYLES)
def test_half_of_a_real_bibliography_among_half_of_another_is_found_whole(shared, style):
    """No work is missed and none is taken for another, in any style."""
    files = sorted((shared / "data/sets/reportbench/ReportBench_v1.1_GT").glob("*.jsonl"))
    rows = [[json.loads(line) for line in path.read_text("utf-8").splitlines()] for path in files]
    for own, other in itertools.pairwise([*rows, rows[0]]):
        cited = [*own[::2], *other[1::2]]
        entries = [
            style.format(
                author=each["author"].replace(" and ", ", "),
                title=each["title"].strip(),
                stop="" if each["title"].strip()[-1:] in ".?!" else ".",
                year=each["meta_info"].get("year", ""),
                where=each["meta_info"].get("journal") or "Proceedings",
                number=number,
            )
            for number, each in enumerate(cited)
        ]
        outcome = scored(written(*entries), *({"title": each["title"]} for each in own))
        found = {
            letters(each.item)
            for each in reading_of(outcome).evidence.items
            if each.key.startswith("b") and each.score
        }
        there = {letters(each["title"]) for each in cited}
        assert found == {letters(each["title"]) for each in own} & there
