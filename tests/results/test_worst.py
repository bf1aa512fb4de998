"""Reports worst first, each with the line that opens it; near names where one was mistyped."""

from dataclasses import replace

import pytest

from deepassay.errors import BadInput, BadSetting, meant
from deepassay.results.reading import InMemoryRecords
from deepassay.results.worst import SHOWN, worst_first
from deepassay.score import Cause, Metric

from .judgements import make


def records(protocol="coverage", **metric):
    made = [
        *(make("heron", f"t{at}", score) for at, score in enumerate((90, 20, 55))),
        *(make("a b", f"t{at}", score) for at, score in enumerate((10, Cause.TIMEOUT, 70))),
        make("heron", "t1", 40, sample=2),
    ]
    return [replace(each, protocol=protocol, metric=Metric(protocol, **metric)) for each in made]


def listed(own, agent=None, task=None, protocol=None):
    return worst_first(InMemoryRecords(own), "run.assay", agent, task, protocol)


def test_the_worst_report_is_first_with_the_line_to_type():
    assert listed(records()).splitlines() == [
        "Reports by coverage, worst first:",
        "",
        "10.0  deepassay explain run.assay --agent 'a b' --task t0",
        "30.0  deepassay explain run.assay --agent heron --task t1",
        "55.0  deepassay explain run.assay --agent heron --task t2",
        "70.0  deepassay explain run.assay --agent 'a b' --task t2",
        "90.0  deepassay explain run.assay --agent heron --task t0",
        "The mean of all is 51.0.",
        "",
        "1 report without a score:",
        "timeout  deepassay explain run.assay --agent 'a b' --task t1",
        "",
    ]
    assert "a b" not in listed(records(), agent="heron")
    assert "t0" not in listed(records(), task="t2")


def test_the_most_important_protocol_that_can_tell_is_taken_and_the_others_named():
    own = [
        *records("race", importance=9, offline_reads=False),
        *records("fact", importance=5),
        *records("kae"),
    ]
    text = listed(own)
    assert text.startswith("Reports by fact, worst first:")
    assert "--protocol NAME lists them by another: race, kae." in text
    assert listed(own, protocol="kae").startswith("Reports by kae")


def test_of_many_it_says_how_many_more():
    own = [make("heron", f"t{at:03}", at) for at in range(50)]
    text = listed(own)
    assert text.count("deepassay explain") == SHOWN
    assert f"and {50 - SHOWN} more reports, up to 49.0; --agent or --task lists fewer." in text


def test_near_names_are_offered():
    with pytest.raises(BadInput, match=r"Did you mean heron\?") as error:
        listed(records(), agent="Herron")
    assert "Agents: 'a b', heron." in str(error.value) or "Agents: a b, heron." in str(error.value)
    with pytest.raises(BadInput, match="task 't9'"):
        listed(records(), task="t9")
    with pytest.raises(BadSetting, match=r"Did you mean coverage\?"):
        listed(records(), protocol="covrage")
    assert meant("xyz", ["heron"]) == ""
    assert meant("HERON", ["heron", "owl"]) == "Did you mean heron? "
