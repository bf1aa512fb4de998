from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.errors import BadSetting
from deepassay.protocols.ace.protocol import Ace
from deepassay.protocols.citation_accuracy.protocol import CitationAccuracy
from deepassay.protocols.coverage import Coverage
from deepassay.protocols.depth.protocol import Depth
from deepassay.protocols.error_patterns import ErrorPatterns
from deepassay.protocols.fact.protocol import Fact
from deepassay.protocols.kae.protocol import Kae
from deepassay.protocols.pointwise.protocol import CitationAssociation, Consistency
from deepassay.protocols.presentation.protocol import Presentation
from deepassay.protocols.protocol import Protocol
from deepassay.protocols.race.protocol import Race
from deepassay.protocols.registry import PROTOCOLS, installed, parse, parse_protocols
from deepassay.protocols.rubrics.protocol import Rubrics
from deepassay.protocols.surface import Surface

DEEPEVAL = (
    Presentation(),
    Consistency(),
    Coverage(),
    Depth(),
    CitationAssociation(),
    CitationAccuracy(),
)


@pytest.mark.parametrize(
    ("text", "protocols"),
    [
        ("coverage", (Coverage(),)),
        (" presentation() ", (Presentation(),)),
        ("presentation(mechanical=True)", (Presentation(mechanical=True),)),
        ("coverage(edition='code')", (Coverage(edition="code"),)),
        ("deepeval", DEEPEVAL),
        ("bench", (Race(), Fact())),
        ("all", (*DEEPEVAL, ErrorPatterns(), Race(), Fact(), Rubrics(), Kae(), Ace(), Surface())),
        ("arena", (Kae(), Ace())),
        ("ace(make=True)", (Ace(make=True),)),
        ("rubrics", (Rubrics(),)),
        ("rubrics(scale='binary', together=5)", (Rubrics(scale="binary", together=5),)),
        ("race(position='both')", (Race(position="both"),)),
    ],
)
def test_a_name_means_what_it_says(text, protocols):
    assert parse(text) == protocols


@pytest.mark.parametrize(
    "protocol",
    [Coverage(), Presentation(), Presentation(mechanical=True), Coverage(edition="code")],
)
def test_a_protocol_is_written_as_it_is_read(protocol):
    assert parse(str(protocol)) == (protocol,)
    assert repr(protocol) == str(protocol)
    assert f"{Presentation(mechanical=True)}" == "presentation(mechanical=True)"


def test_the_edition_reaches_every_member_of_a_group():
    released = tuple(replace(each, edition="code") for each in DEEPEVAL if "code" in each.editions)
    assert parse("deepeval", "code") == released
    assert CitationAccuracy.name not in {each.name for each in released}


def test_the_group_of_ablations_holds_every_row_once():
    ablations = parse("race-ablations")
    assert len(set(map(str, ablations))) == len(ablations) == 9
    assert ablations[0] == Race()


def test_names_that_overlap_give_each_protocol_once():
    others = tuple(each for each in DEEPEVAL if each != Coverage())
    assert parse_protocols(["coverage", "deepeval"]) == (Coverage(), *others)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("covrage", "no protocol 'covrage'"),
        ("kae(together=0)", "cannot be asked at once"),
        ("ace(edition='code')", "no edition 'code'"),
        ("deepeval(mechanical=True)", "no protocol 'deepeval'"),
        ("presentation(mechanic=True)", "no option 'mechanic'"),
        ("presentation(mechanical=1)", "not a bool"),
        ("presentation(True)", "not how a protocol is written"),
        ("presentation(**{'mechanical': True})", "not how a protocol is written"),
        ("presentation(mechanical=print())", "not how a protocol is written"),
        ("__import__('os').system('true')", "not how a protocol is written"),
        ("presentation(mechanical=True, edition='code')", "no edition 'code'"),
        ("coverage(edition='draft')", "no edition 'draft'"),
        ("", "not how a protocol is written"),
        ("(" * 5000, "not how a protocol is written"),
        ("coverage\x00", "not how a protocol is written"),
        ("depth(baseline=3)", "not a str"),
        ("consistency(penalties={0: 100})", "not a str"),
    ],
)
def test_what_is_wrong_with_a_name_is_said(text, said):
    with pytest.raises(BadSetting) as caught:
        parse(text)
    assert said in caught.value.problem
    assert caught.value.remedy


def test_a_group_without_a_member_of_an_edition_is_refused():
    with pytest.raises(BadSetting, match="no protocol of edition 'code'"):
        parse("arena", "code")


def test_an_unknown_name_lists_what_there_is():
    with pytest.raises(BadSetting) as caught:
        parse("raze")
    for name in PROTOCOLS:
        assert name in caught.value.remedy


def test_mechanical_exists_in_edition_paper_only():
    with pytest.raises(BadSetting, match="the judge decides all ten"):
        Presentation(mechanical=True, edition="code")
    with pytest.raises(BadSetting):
        replace(Presentation(mechanical=True), edition="code")


def test_every_protocol_says_what_it_is():
    for name, kind in PROTOCOLS.items():
        assert kind.name == name
        assert kind.title
        assert kind.source
        assert kind.__doc__
        assert issubclass(kind, Protocol)


@settings(deadline=None, max_examples=80)
@given(st.text(max_size=40))
def test_no_text_raises_anything_but_an_error_for_people(text):
    with suppress(BadSetting):
        parse(text)


def test_what_a_run_file_names_imports_no_module(tmp_path, monkeypatch):
    (tmp_path / "toy_in_a_file.py").write_text("raise SystemExit('it was imported')", "utf-8")
    monkeypatch.chdir(tmp_path)
    assert installed("toy_in_a_file:Toy") is None
    assert installed("toy_in_a_file:Toy(strict=True)") is None
