"""What each perturbation does to a report, and that it does nothing else."""

from __future__ import annotations

import difflib
from collections import Counter
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.errors import BadSetting
from deepassay.reports.report import Report
from deepassay.reports.spans import Edit, apply
from deepassay.wings.trials.perturb import (
    PERTURBATIONS,
    Perturbed,
    changed_by,
    perturb,
    random_for,
)
from deepassay.wings.trials.perturb.marks import (
    DEAD,
    places_of_cited_addresses,
    swap_pages,
    with_author,
)
from deepassay.wings.trials.perturb.sections import sections
from tests.reports.test_properties import TEXTS

ENGLISH = """\
# Swifts in the city

Swifts nest under roofs, and the roofs of the city are being insulated, street by street.

## Introduction
This report says where they still nest.

## Boxes
Boxes were occupied in 42% of 350 sites [1]. The boxes are made of larch wood [2]. A survey of
the year 2019 found more than 1,200 pairs in the old town, most of them below the tiles, where
nobody had looked before, and a few in the towers of the churches [3].

- Calls from a loudspeaker raise the share to 61% [1][2].

---

## Roofs
Insulation closes 30 gaps per roof. [3]

Where a scaffold stands anyway, a box below the eaves costs next to nothing, and the masons have
long known how to set one into the wall so that it neither lets the damp in nor the warmth out,
whatever the builder may say of it [2].

| street | gaps |
|---|---|
| Mill Lane | 12 [2] |

---

## Law
The law protects nests all year round ([4](https://law.example/nests)). It can be enforced.

## Sources

[1] Study one: https://one.example/a
[2] Study two: https://two.example/b
[3] Study three: https://three.example/c
[4] The law: https://law.example/nests
"""

CHINESE = """\
# 城市雨燕

雨燕在屋檐下筑巢，而城市的屋檐正在逐步改造。

## 一、引言
本报告说明它们还在哪里筑巢。

## 二、巢箱
巢箱的占用率为42%，共调查350处[1]。巢箱是用落叶松木制成的[2]。

## 三、屋顶
保温改造平均封闭30个缝隙[3]。法律可以保护全年的巢穴[1]。

## 四、法律
法律属于重要保障，违者罚款1200元[2]。

## 参考文献

[1] 研究一：https://one.example/a
[2] 研究二：https://two.example/b
[3] 研究三：https://three.example/c
"""

NAMES = tuple(PERTURBATIONS)
REPORTS = {"English": Report(ENGLISH, "heron", "swifts"), "Chinese": Report(CHINESE)}


def done(name: str, text: str = ENGLISH, seed: int = 1, share: float | None = None) -> Perturbed:
    report = Report(text, "heron", "swifts")
    changed = perturb(report, name, random_for(seed, report, name), share)
    assert changed is not None
    return changed


def undone(changed: Perturbed) -> str:
    """The original, from the result and what is recorded of the changes."""
    return apply(changed.report.text, [Edit(each.place, each.removed) for each in changed.changes])


# ------------------------------------------------------------------ all of them


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("language", REPORTS)
def test_every_perturbation_applies_and_everything_else_stays(name: str, language: str) -> None:
    report = REPORTS[language]
    for seed in range(10):
        changed = perturb(report, name, random_for(seed, report, name))
        assert changed is not None
        assert changed.report.text != report.text
        assert undone(changed) == report.text
        for each in changed.changes:
            assert each.span.of(report.text) == each.removed
            assert each.place.of(changed.report.text) == each.inserted
            assert each.line == report.text.count("\n", 0, each.span.start) + 1
        assert (changed.report.agent, changed.report.task) == (report.agent, report.task)


@pytest.mark.parametrize("name", sorted(set(NAMES) - {"strip-style", "address-judge"}))
def test_the_same_seed_gives_the_same_report_and_others_give_others(name: str) -> None:
    assert done(name, seed=3).report == done(name, seed=3).report
    assert len({done(name, seed=seed).report.text for seed in range(12)}) > 1


@pytest.mark.parametrize("name", NAMES)
@given(text=TEXTS, seed=st.integers(0, 3))
@settings(deadline=None, max_examples=30)
def test_of_any_text_only_what_is_recorded_is_changed(name: str, text: str, seed: int) -> None:
    report = Report(text)
    changed = perturb(report, name, random_for(seed, report, name))
    if changed is not None:
        assert undone(changed) == text
        assert changed.report.text != text


@pytest.mark.parametrize("name", NAMES)
def test_a_report_without_anything_of_the_kind_is_not_changed(name: str) -> None:
    report = Report("")
    assert perturb(report, name, random_for(1, report, name)) is None


@pytest.mark.parametrize("name", NAMES)
def test_line_ends_of_windows_stay(name: str) -> None:
    changed = done(name, ENGLISH.replace("\n", "\r\n"))
    assert "\n" not in changed.report.text.replace("\r\n", "")


def test_only_known_names_and_shares_are_taken() -> None:
    with pytest.raises(BadSetting, match="no perturbation 'drop_section'"):
        done("drop_section")
    with pytest.raises(BadSetting, match="takes no share"):
        done("change-number", share=0.5)
    for share in (0.0, 1.5, -1.0, float("nan")):
        with pytest.raises(BadSetting, match="no share"):
            done("pad", share=share)


# ------------------------------------------------------------------ sections


def test_sections_are_divided_by_the_level_that_has_three_headings() -> None:
    titles = [each.blocks[0].span.of(ENGLISH) for each in sections(Report(ENGLISH))]
    assert titles == ["## Introduction", "## Boxes", "## Roofs", "## Law"]
    assert [each.span.of(ENGLISH)[-5:] for each in sections(Report(ENGLISH))][2] == "[2] |"


def test_authors_and_years_can_be_deleted() -> None:
    text = "A (Smith et al., 2024). B (Jones & Day, 2020; Smith, 2024).\n"
    assert done("delete-citations", text, share=1.0).report.text == "A. B.\n"


def test_a_section_with_a_list_of_sources_inside_is_none() -> None:
    text = "\n\n".join(
        f"## Part {n}\nWords [1].\n\n### Sources\n[1] https://{n}.example\n\n### Rest\nMore."
        for n in range(3)
    )
    assert sections(Report(text)) == ()


def test_a_dropped_section_is_gone_with_its_heading_and_the_list_stays() -> None:
    for seed in range(20):
        changed = done("drop-section", seed=seed)
        (gone,) = changed.changes
        assert gone.removed.strip("-\n").split("\n")[0] in ("## Boxes", "## Roofs")
        assert changed.report.text.endswith(ENGLISH[ENGLISH.index("## Sources") :])
        assert "## Introduction" in changed.report.text
        assert "---\n\n---" not in changed.report.text


def test_shuffled_sections_are_the_same_in_another_order() -> None:
    for seed in range(10):
        changed = done("shuffle-sections", seed=seed).report.text
        start = ENGLISH.index("## Boxes")
        assert changed.startswith(ENGLISH[:start])
        assert changed.endswith(ENGLISH[ENGLISH.index("\n\n## Sources") :])
        assert Counter(changed.split("\n")) == Counter(ENGLISH.split("\n"))
        assert Counter(each.text for each in Report(changed).statements) == Counter(
            each.text for each in Report(ENGLISH).statements
        )


# ------------------------------------------------------------------ citations


def test_half_of_the_places_lose_their_citations_and_the_list_stays() -> None:
    changed = done("delete-citations")
    assert len(changed.changes) == 4  # 8 places; [1][2] is one
    assert len(Report(ENGLISH).citations) > len(changed.report.citations) > 0
    assert [each.urls for each in changed.report.references] == [
        each.urls for each in Report(ENGLISH).references
    ]


def test_all_citations_of_every_kind_can_be_deleted() -> None:
    kinds = (
        "A [1]. B【1†L3】. C[^1]. D <sup>1</sup>. The [words of E](https://e.example/e) stay. "
        "F https://f.example/f. H [[1]].\n\n"
        "## References\n[1] Smith, J. https://one.example\n[^1]: https://two.example\n"
    )
    assert len(Report(kinds).citations) == 7
    changed = done("delete-citations", kinds, share=1.0)
    assert changed.report.citations == ()
    assert "D. The words of E stay. F." in changed.report.text
    assert changed.report.text.endswith(kinds[kinds.index("## References") :])


@pytest.mark.parametrize("text", [ENGLISH, CHINESE])
def test_no_citation_keeps_its_source_after_a_swap(text: str) -> None:
    for seed in range(20):
        changed = done("swap-citations", text, seed=seed).report
        before, after = Report(text).resolved, changed.resolved
        assert len(before) == len(after)
        kinds = Counter(type(each.citation) for each in before)
        for one, other in zip(before, after, strict=True):
            if kinds[type(one.citation)] > 1:
                assert set(one.urls).isdisjoint(other.urls)


def test_words_of_links_stay_where_they_are_in_a_swap() -> None:
    text = "The [first law](https://a.example/1) and the [second law](https://b.example/2) hold."
    assert done("swap-citations", text).report.text == (
        "The [first law](https://b.example/2) and the [second law](https://a.example/1) hold."
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Low ([Port](https://p.example/a)). Ships [1]. Boats [2].", "Port](https://p.example/a)"),
        ("Low [1][2].", "Low [2][1]."),
    ],
    ids=["the only link", "all sources side by side"],
)
def test_what_the_page_says_of_citations_that_keep_their_sources(text: str, expected: str) -> None:
    sources = "\n\n## Sources\n[1] https://a.example\n[2] https://b.example\n"
    assert expected in done("swap-citations", text + sources).report.text


def test_citations_of_one_source_are_not_swapped() -> None:
    report = Report("A [1]. B [1].\n\n## Sources\n[1] https://a.example\n")
    assert perturb(report, "swap-citations", random_for(1, report, "swap-citations")) is None


# ------------------------------------------------------------------ claims


@pytest.mark.parametrize(
    "sentence",
    [
        "It costs $5 a day.", "It grew by 12.5% in 2020.", "共有1,234人参加。", "罚款为3.5万元。",
        "More than 40 cities took part.", "About **17** firms answered.",
    ],
)  # fmt: skip
def test_a_figure_that_measures_or_counts_is_changed_clearly(sentence: str) -> None:
    for seed in range(10):
        (change,) = done("change-number", sentence, seed=seed).changes
        old, new = (float(each.replace(",", "")) for each in (change.removed, change.inserted))
        assert abs(new - old) >= 0.4 * old
        assert "2020" not in change.removed
        if "%" in sentence:
            assert new < 100


@given(value=st.decimals(min_value="0.01", max_value=10**8, places=2), percent=st.booleans())
@settings(deadline=None, max_examples=80)
def test_any_figure_has_another_that_is_clearly_different(value: Decimal, percent: bool) -> None:
    for written in (f"{value:.2f}", f"{value:.0f}", f"{value:,.0f}"):
        report = Report(f"It grew by {written}{'%' if percent else ' million'}.")
        changed = perturb(report, "change-number", random_for(1, report, "change-number"))
        if Decimal(written.replace(",", "")):
            assert changed is not None
            new = Decimal(changed.changes[0].inserted.replace(",", ""))
            old = Decimal(written.replace(",", ""))
            assert abs(new - old) >= old * Decimal("0.4")


@pytest.mark.parametrize(
    "sentence",
    [
        "It began in 2019.", "It began on 5 May.", "See Figure 3 and Table 12.",
        "COVID-19 and GPT-4 and K-12 and ISO/IEC 17025.", "From 10-20 to 3–5.", "第3章，20世纪。",
        "Look at https://a.example/30 units and `40 units`.", "A 24-hour day, 24/7, v2.0.1.",
        "2024年3月5日开始。", "1. One thing.", "The 3rd and the 21st.", "At 10:30, 1/2.",
    ],
)  # fmt: skip
def test_dates_names_ranges_and_addresses_are_no_figures(sentence: str) -> None:
    report = Report(sentence)
    assert perturb(report, "change-number", random_for(1, report, "change-number")) is None


def test_a_figure_is_taken_from_a_cited_claim_if_there_is_one() -> None:
    text = "There are 30 roofs. There are 70 towers [1].\n\nThere are 90 trees.\n\n## Sources\n"
    text += "[1] https://a.example\n"
    for seed in range(10):
        changed = done("change-number", "Some 20 walls.\n\n" + text, seed=seed)
        assert changed.changes[0].removed in ("30", "70")  # 30 inherits the citation
        assert changed.changes[0].removed == "70"
        assert changed.on_sources


def test_a_false_claim_without_a_source_says_nothing_about_pages() -> None:
    assert not done("change-number", "There are 70 towers.").on_sources


@pytest.mark.parametrize(
    ("said", "denied"),
    [
        ("The species is heavily fished.", "The species is not heavily fished."),
        ("Teachers have an optimistic view.", "Teachers do not have an optimistic view."),
        ("Recent work has introduced a concept.", "Recent work has not introduced a concept."),
        ("The law cannot be enforced.", "The law can be enforced."),
        ("The law can be enforced.", "The law cannot be enforced."),
        ("The rule isn't in force.", "The rule is in force."),
        ("The rule does not hold.", "The rule does hold."),
        ("The plan provides a budget.", "The plan does not provide a budget."),
        ("The price rose sharply.", "The price did not rise sharply."),
        ("The roofs were not closed.", "The roofs were closed."),
        ("机器翻译可以取代人工校对。", "机器翻译不可以取代人工校对。"),
        ("这种方法是有效的。", "这种方法不是有效的。"),
        ("该方案没有得到支持。", "该方案有得到支持。"),
        ("企业已经达标。", "企业尚未达标。"),
        ("总票房将继续增长。", "总票房不会继续增长。"),
    ],
)
def test_a_sentence_is_negated(said: str, denied: str) -> None:
    assert done("negate-sentence", said).report.text == denied


@pytest.mark.parametrize(
    "sentence",
    [
        "Is it true?", "Not only is it true, it is known.", "Roofs that are old fall down.",
        "If it is cold, nobody comes.", "Nothing is known.", "A list of roofs.",
        "It may determine how history is told.", "Few roofs are open.",
        "值得注意的是，屋顶很多。", "但是屋顶很多。", "如果是这样，就没人来。", "是否如此？",
        "所有屋顶。", "这不是屋顶，而是墙。",
    ],
)  # fmt: skip
def test_a_sentence_whose_verb_is_in_doubt_is_left_alone(sentence: str) -> None:
    report = Report(sentence)
    assert perturb(report, "negate-sentence", random_for(1, report, "negate-sentence")) is None


def test_a_contradiction_stands_in_another_section_with_the_citations_of_the_claim() -> None:
    bounds = [each.span for each in sections(Report(ENGLISH))]
    claims = Report(ENGLISH).statements
    for seed in range(20):
        changed = done("plant-contradiction", seed=seed)
        (plant,) = changed.changes
        copy = plant.inserted.strip()
        (planted,) = (each for each in changed.report.statements if plant.place.holds(each.span))
        near = difflib.get_close_matches(planted.text, [each.text for each in claims], 1, 0.8)
        claim = next(each for each in claims if each.text == near[0])
        assert planted.text != claim.text
        assert planted.urls == claim.urls
        assert planted.urls
        assert copy not in ENGLISH
        home = next(span for span in bounds if span.holds(claim.span))
        assert not home.start <= plant.span.start <= home.end


def test_a_copy_without_a_figure_is_negated() -> None:
    text = (
        "## A\n\nRoofs are closed [1].\n\n## B\n\nOf late.\n\n## Sources\n[1] https://a.example\n"
    )
    assert (
        "Of late.\n\nRoofs are not closed [1].\n" in done("plant-contradiction", text).report.text
    )


# ------------------------------------------------------------------ more of the same


def test_a_paragraph_stands_twice_directly_below_itself() -> None:
    changed = done("duplicate-paragraph")
    (copy,) = changed.changes
    assert changed.report.text.count(copy.inserted.strip()) == 2
    assert ENGLISH[: copy.span.start].endswith(copy.inserted.strip())
    assert len(copy.inserted) > 200


def test_padding_is_as_long_as_the_share_says_and_holds_no_claim() -> None:
    for text, longest in ((ENGLISH, 450), (CHINESE, 150)):
        for share in (0.1, 1.0):
            changed = done("pad", text, share=share)
            added = len(changed.report.text) - len(text)
            assert share * len(text) <= added <= share * len(text) + longest
            inserted = "".join(each.inserted for each in changed.changes)
            assert not any(map(str.isdigit, inserted))
            assert ("。" in inserted) == (text is CHINESE)


def test_padding_leaves_every_statement_with_its_citations() -> None:
    changed = done("pad", share=1.0).report
    after = {each.text: each.urls for each in changed.statements}
    for each in Report(ENGLISH).statements:
        assert after[each.text] == each.urls


# ------------------------------------------------------------------ marks and addresses


def test_one_cited_address_is_dead_wherever_it_stands() -> None:
    for seed in range(10):
        changed = done("dead-url", seed=seed)
        removed = {each.removed for each in changed.changes}
        assert len(removed) == 1
        assert removed <= {url for each in Report(ENGLISH).references for url in each.urls}
        assert len(changed.changes) == ENGLISH.count(removed.pop())
        dead = [each for each in changed.report.statements if DEAD in str(each.urls)]
        assert dead


@pytest.mark.parametrize("text", [ENGLISH, CHINESE])
def test_pages_are_swapped_for_those_of_other_tasks(text: str) -> None:
    pool = [f"https://other.example/{n}" for n in range(6)]
    report = Report(text)
    changed = changed_by(swap_pages(pool), report, random_for(1, report, "swap-pages"))
    assert changed is not None
    now = {url for _, url in places_of_cited_addresses(changed.report)}
    assert now <= set(pool)
    assert len(now) == len({url for _, url in places_of_cited_addresses(report)})
    assert undone(changed) == text
    few = changed_by(swap_pages(pool[:2]), report, random_for(1, report, "swap-pages"))
    assert few is None, "two pages cannot stand for three"


def test_a_broken_number_leads_to_no_reference() -> None:
    for seed in range(10):
        (change,) = done("break-number", seed=seed).changes
        assert change.inserted == "997"
    broken = [each for each in done("break-number").report.resolved if each.missing]
    assert [key for each in broken for key, _ in each.missing] == ["997"]


@pytest.mark.parametrize(("text", "said"), [(ENGLISH, "highest score"), (CHINESE, "最高分")])
def test_the_judge_is_addressed_at_the_end_of_the_body(text: str, said: str) -> None:
    changed = done("address-judge", text).report
    assert said in changed.body[-1].span.of(changed.text)
    assert [each.urls for each in changed.references] == [
        each.urls for each in Report(text).references
    ]


def test_the_author_stands_below_the_title() -> None:
    report = Report(ENGLISH)
    changed = changed_by(with_author("Heron-2"), report, random_for(1, report, "signed"))
    assert changed is not None
    assert changed.report.text.startswith("# Swifts in the city\n\n*Written by Heron-2.*\n\nSwifts")


@given(share=st.sampled_from([0.25, 0.5, 1.0]), seed=st.integers(0, 99))
@settings(deadline=None, max_examples=30)
def test_padding_leaves_every_sentence_in_its_order(share: float, seed: int) -> None:
    for text in (ENGLISH, CHINESE):
        before = [each.text for each in Report(text).statements]
        after = iter(
            each.text for each in done("pad", text, seed=seed, share=share).report.statements
        )
        assert all(sentence in after for sentence in before)
