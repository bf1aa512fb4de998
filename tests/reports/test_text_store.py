"""Reports whose texts stand in a file."""

import copy
import errno
import pickle
from io import BytesIO

import pytest

from deepassay.errors import BadReports
from deepassay.reports import clean as clean_room
from deepassay.reports import report as room
from deepassay.reports.clean import clean
from deepassay.reports.markers import ReportCitingIds
from deepassay.reports.report import Report, TextStore

TEXTS = ["# Höhe\n\nIt is 8,849 m.[^1]\n", "中" * 500, "lone \ud800 surrogate\r\n", "", " \n"]


@pytest.mark.parametrize("in_memory", [10**6, 1], ids=["small", "in a file"])
def test_a_report_on_a_shelf_is_the_same(monkeypatch, in_memory):
    monkeypatch.setattr(room, "IN_MEMORY", in_memory)
    reports = [Report(text, "heron", str(place)) for place, text in enumerate(TEXTS)]
    shelf = TextStore()
    light = [shelf.put(report) for report in reports]
    assert light == reports and [each.text for each in light] == TEXTS
    assert [each.digest for each in light] == [each.digest for each in reports]
    assert [each.is_empty for each in light] == [False, False, False, True, True]
    assert light[0].statements == reports[0].statements


def test_a_text_is_read_when_it_is_asked_for_and_held_by_who_takes_the_report_anew(monkeypatch):
    shelf, read = TextStore(), []
    light = shelf.put(Report("It rained.", "heron", "t"))
    get = shelf.get
    monkeypatch.setattr(shelf, "get", lambda *place: (read.append(place), get(*place))[1])
    other = light.but(task="u")
    assert not (light.is_empty or other.is_empty) and light.digest == other.digest and not read
    assert (light.text, other.text, light.text) == ("It rained.",) * 3 and len(read) == 3
    fresh = light.anew()
    assert len(read) == 3 and fresh == light  # to compare takes both texts
    assert len(read) == 5 and fresh.text == fresh.text == "It rained." and len(read) == 5


def test_what_is_read_off_a_text_is_not_read_again_for_a_copy_unless_the_text_is_long():
    text = "It rained for a week [1].\n\n## References\n\n1. https://rain.example/week\n"
    report = Report(text, "heron")
    copied = report.but(agent="cuckoo").anew()
    assert copied.statements[0].citations and copied.statements is report.statements
    assert len(Report(f"# Rain\n\n{text}").blocks) == len(report.blocks) + 1
    assert ReportCitingIds(text).resolved is report.resolved
    other = ReportCitingIds(text, letters=frozenset("e"))  # it finds other citations
    assert other.resolved is not report.resolved
    long = Report(text * (1 + room.SHARED // len(text)))
    assert long.statements == long.anew().statements is not long.statements


@pytest.mark.parametrize("kept", [Report.but, Report.anew], ids=["on a shelf", "anew"])
@pytest.mark.parametrize("made", [copy.deepcopy, lambda each: pickle.loads(pickle.dumps(each))])
def test_protocols_may_copy_a_report_and_send_it_to_other_processes(kept, made):
    report = Report("It rained.[1]", "heron", "t")
    light = made(kept(TextStore().put(report)))
    assert light == report and light.digest == report.digest


def test_what_was_read_off_a_long_report_stays_where_it_is():
    report = Report("It rained for a week [1].\n\n" * (room.SHARED // 20))
    assert report.statements and clean(report)
    sent = pickle.loads(pickle.dumps(report))
    assert sent == report and clean(sent) == clean(report)


def test_a_text_is_cleaned_once_however_many_others_come_between(monkeypatch):
    cleaned = []
    monkeypatch.setattr(clean_room, "removals", lambda *given: cleaned.append(given) or ())
    reports = [Report(f"It rained for {number} weeks [1].") for number in range(60)]
    for _ in range(3):
        for report in reports:
            clean(report)
    assert len(cleaned) == len(reports)


def test_where_there_is_no_room_it_is_told_with_what_to_do(monkeypatch):
    shelf = TextStore()

    class Full(BytesIO):
        def flush(self):  # what is written stands in a buffer until then
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(shelf, "_file", Full())
    with pytest.raises(BadReports, match="No space left on device") as told:
        shelf.put(Report("It rained."))
    assert "TMPDIR" in told.value.remedy
