"""What other packages bring, by their entry points or as `module:Name`."""

import subprocess
import sys
from shutil import rmtree

import pytest

from deepassay import plugins
from deepassay.cli import main
from deepassay.errors import BadReports, BadSetting, ConfigurationChanged, Notice
from deepassay.models.endpoints import PROVIDERS
from deepassay.plugins import code_of, loaded, one
from deepassay.protocols.coverage import Coverage
from deepassay.protocols.registry import GROUPS, PROTOCOLS, installed, parse, parse_protocols
from deepassay.reports.lint import lint
from deepassay.reports.loaders import load_reports, loaders, readers
from deepassay.reports.report import Report
from deepassay.reports.rules import rules
from deepassay.results.figures.making import kinds
from deepassay.run.asking.evaluate import evaluate
from deepassay.run.showing.records import records_of
from deepassay.tasks.loaders import load_tasks, task_layouts
from tests.asked import asked as asking

TOY = """
from dataclasses import dataclass
from deepassay.protocols.protocol import Protocol
from deepassay.score import Score, Unscored

@dataclass(frozen=True, repr=False)
class Toy(Protocol):
    loud: bool = False
    name = "toy"
    title = "A toy"
    source = "ours"
    bounds = (0.0, 1.0)

    async def score(self, case, ask, sources):
        return Score(0.5, self.bounds)

    def operations(self):
        return ()

LOUD = Toy(loud=True)
OTHER = 3
"""


def forget():
    """Look anew at what is installed."""
    read = plugins._registered, plugins.plugins, plugins._packages
    for known in (*read, rules, task_layouts, loaders, readers, kinds):
        known.cache_clear()
    sys.modules.pop("deepassay.cli.leaderboard", None)  # its options are those of packages


@pytest.fixture
def package(tmp_path, monkeypatch):
    """package(name, entry points, **modules): as if it had been installed."""
    forget()
    before = set(sys.modules)

    def install(name, points, version="1.0", **modules):
        place = tmp_path / "site"
        about = place / f"{name}-{version}.dist-info"
        about.mkdir(parents=True, exist_ok=True)
        (about / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
        )
        (about / "entry_points.txt").write_text(points)
        (about / "top_level.txt").write_text("\n".join(modules))
        for module, text in modules.items():
            (place / f"{module}.py").write_text(text)
        if str(place) not in sys.path:
            monkeypatch.syspath_prepend(str(place))

    yield install
    forget()
    for module in set(sys.modules) - before:
        if "toy" in module:
            del sys.modules[module]


def test_a_protocol_of_another_package_is_found_by_its_name(package):
    package("toys", "[deepassay.protocols]\ntoy = toy_metric:Toy\n", toy_metric=TOY)
    assert "toy" in PROTOCOLS and "toy_metric" not in sys.modules  # names need no import
    (toy,) = parse("toy(loud=True)")
    assert (str(toy), toy.describe().title) == ("toy(loud=True)", "A toy")
    assert toy.code == "toy_metric:Toy toys 1.0"
    assert installed("toy") == type(toy)()
    assert toy.name not in {each.name for each in parse("all")}


def test_ours_are_registered_in_the_same_way():
    assert {
        plugin.package
        for name in parse("all")
        for plugin in plugins.plugins("protocols")[name.name]
    } == {"deepassay"}
    assert all(each.code == "" for each in parse("all"))


def test_a_protocol_is_named_by_its_module(package):
    package("toys", "", toy_metric=TOY)
    assert str(*parse("toy_metric:Toy")) == "toy"
    assert str(*parse("toy_metric:LOUD")) == "toy(loud=True)"
    assert parse("toy_metric:Toy(loud=True)") == parse("toy_metric:LOUD")
    (toy,) = parse("toy_metric:Toy")
    assert parse_protocols([toy, type(toy), "toy_metric:Toy", Coverage]) == (toy, Coverage())
    assert installed("toy") is None


def test_a_module_of_the_present_folder_is_found(tmp_path, monkeypatch, package):
    (tmp_path / "toy_here.py").write_text(TOY)
    monkeypatch.chdir(tmp_path)
    path = list(sys.path)
    (toy,) = parse("toy_here:Toy")
    assert sys.path == path
    module, digest = toy.code.split()
    assert module == "toy_here:Toy" and len(digest) == 12


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("toy_metric:OTHER", "toy_metric:OTHER is no protocol"),
        ("toy_metric:Nothing", "AttributeError"),
        ("toy_missing:Toy", "ModuleNotFoundError: No module named 'toy_missing'"),
        ("toy_metric:Toy(soft=True)", "no option 'soft'"),
        ("toy_broken:Toy", "ZeroDivisionError"),
    ],
)
def test_what_is_wrong_with_a_reference_is_said(package, text, said):
    package("toys", "", toy_metric=TOY, toy_broken="1 / 0")
    with pytest.raises(BadSetting, match=said):
        parse(text)


def test_a_package_that_cannot_be_imported_is_named_and_stops_nobody_else(package):
    package("broken-toys", "[deepassay.protocols]\nwreck = toy_broken:Toy\n", toy_broken="1 / 0")
    with pytest.raises(BadSetting, match=r"package broken-toys 1.0.*ZeroDivisionError"):
        parse("wreck")
    assert parse("coverage") == (Coverage(),)
    with pytest.warns(match="package broken-toys 1.0"):
        names = [plugin.name for plugin, _ in loaded("protocols")]
    assert "coverage" in names and "wreck" not in names


def test_a_module_that_ends_the_process_ends_nothing(package):
    package("exits", "[deepassay.protocols]\nquit = toy_exit:Toy\n", toy_exit="raise SystemExit(3)")
    for name in ("quit", "toy_exit:Toy"):
        with pytest.raises(BadSetting, match=r"cannot be loaded.*SystemExit: 3"):
            parse(name)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("None", "TypeError: a protocol gives a Score or an Unscored, not None"),
        ("Score(7.0, (0.0, 1.0))", "ValueError: the score 7 is outside of its bounds, 0 to 1"),
        ("Score(float('nan'), self.bounds)", "ValueError: a score must be a finite number"),
        ("Score(0.5, parts={'a': 'x'})", "BadShape: score.parts.a: Input should be a number"),
        ("Score(0.5, parts={'a': 1, 'b': float('nan')})", "ValueError: NaN is no number of JSON"),
        ("Score(0.5, details={'items': 'x'})", "BadShape: score.details.items: Input should be"),
        ("Unscored('no idea', 'x')", "ValueError: 'no idea' is no cause"),
    ],
)
def test_a_protocol_that_fails_is_told_with_its_place(package, command, given, told):
    text = TOY.replace("return Score(0.5, self.bounds)", f"return {given}")
    package("toys", "[deepassay.protocols]\ntoy = toy_metric:Toy\n", toy_metric=text)
    status, said = command("evaluate", "tasks.jsonl", "heron", "--protocol", "toy")
    assert status == 2
    assert f"toy failed on the report of heron for task a: {told}" in said
    assert "toy_metric.Toy;" in said and "Traceback" not in said


def test_a_name_that_two_packages_bring_is_refused(package):
    package("mine", "[deepassay.protocols]\ncoverage = toy_metric:Toy\n", toy_metric=TOY)
    with pytest.raises(BadSetting, match="deepassay and mine"):
        parse("coverage")
    assert parse("race")


def test_a_class_under_the_name_of_another_is_refused(package):
    package("toys", "[deepassay.protocols]\nother = toy_metric:Toy\n", toy_metric=TOY)
    with pytest.raises(BadSetting, match=r"Package toys registers toy_metric:Toy as.*'other'"):
        parse("other")


def test_nothing_is_found_under_a_name_that_nobody_brings():
    assert one("protocols", "toy") is None
    assert code_of(test_nothing_is_found_under_a_name_that_nobody_brings)


def test_another_version_of_the_package_is_another_recipe(package, tmp_path):
    package("toys", "[deepassay.protocols]\ntoy = toy_metric:Toy\n", toy_metric=TOY)
    (tmp_path / "tasks.jsonl").write_text('{"id": "a", "prompt": "Why is the sky blue?"}')
    (tmp_path / "heron").mkdir()
    (tmp_path / "heron" / "a.md").write_text("# Sky\n\nAir.\n")
    asked = asking(
        tmp_path / "tasks.jsonl",
        [tmp_path / "heron"],
        protocols=["toy"],
        run=tmp_path / "run.assay",
    )
    evaluate(*asked)
    (record,) = records_of([asked.run])
    assert record.signature.identity["code"] == "toy_metric:Toy toys 1.0"
    assert record.outcome.value == 0.5
    rmtree(tmp_path / "site" / "toys-1.0.dist-info")
    package("toys", "[deepassay.protocols]\ntoy = toy_metric:Toy\n", "2.0", toy_metric=TOY)
    forget()
    with pytest.raises(ConfigurationChanged, match=r"toys 1.0.*when the run began.*toys 2.0"):
        evaluate(*asked)


def test_listing_what_there_is_imports_no_protocol():
    code = (
        "import sys; from deepassay.plugins import KINDS, plugins;"
        "[plugins(kind) for kind in KINDS[:1]];"
        "assert not [m for m in sys.modules if m.startswith('deepassay.') and m not in "
        "('deepassay.plugins', 'deepassay.errors')], sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


RULE = """
from deepassay.reports.finding import Hit, Rule
from deepassay.reports.spans import Span

def check(report):
    if "never" in report.text:
        yield Hit(Span(0, 1), "says never")

RULE = Rule("TOY001", "toy-never", "Never say never.", (), check)
SAME = Rule("DA101", "toy-other", "Nothing.", (), check)
"""


def test_a_rule_of_another_package_is_applied_after_ours(package):
    package("toys", "[deepassay.rules]\nnever = toy_rule:RULE\n", toy_rule=RULE)
    assert "TOY001" in {each.code for each in lint(Report("We never say it."))}
    assert [rule.code for rule in rules()][-1] == "TOY001"


def test_a_code_of_two_packages_is_refused(package):
    package("toys", "[deepassay.rules]\nsame = toy_rule:SAME\n", toy_rule=RULE)
    with pytest.raises(BadSetting, match="DA101 is claimed by two packages, deepassay and toys"):
        lint(Report("# Sky"))


def test_what_is_no_rule_is_told_and_left_out(package):
    package("toys", "[deepassay.rules]\nodd = toy_rule:check\n", toy_rule=RULE)
    with pytest.warns(match=r"odd, of the rules in package toys, is no Rule"):
        codes = {each.code for each in lint(Report("# Sky\n\nWe never say it.\n"))}
    assert codes == {"DA106", "DA201"}


FAILING = RULE.replace('yield Hit(Span(0, 1), "says never")', 'yield {}["never"]')


def test_a_rule_that_fails_is_told_with_its_package_and_the_others_go_on(package):
    package("toys", "[deepassay.rules]\nnever = toy_rule:RULE\n", toy_rule=FAILING)
    says = r"a.md: the rule TOY001 \(toys 1.0\) failed, and is left out: KeyError: 'never'\."
    with pytest.warns(Notice, match=says):
        found = lint(Report("# Sky\n\nWe never say it.\n", path="a.md"))
    assert [each.code for each in found] == ["DA106", "DA201"]


LAYOUT = """
from deepassay.tasks.loaders import Layout
from deepassay.tasks.task import Task

def load(rows, live):
    for row in rows:
        yield row.place, Task(id=row.fields["number"], prompt=row.fields["prompt"])

LAYOUT = Layout("Surveys", frozenset({"number", "id", "prompt"}), load)
"""


def test_a_layout_of_tasks_is_tried_before_ours(package, tmp_path):
    package("toys", "[deepassay.tasks]\nsurvey = toy_tasks:LAYOUT\n", toy_tasks=LAYOUT)
    file = tmp_path / "tasks.jsonl"
    file.write_text('{"id": "x", "number": "7", "prompt": "Why?"}')
    assert [task.id for task in load_tasks(file)] == ["7"]
    file.write_text('{"id": "x", "prompt": "Why?"}')
    assert [task.id for task in load_tasks(file)] == ["x"]


LOADER = """
from deepassay.reports.documents.convert import Converted
from deepassay.reports.loaders import Loader, Reader
from deepassay.reports.report import Report

def load(path):
    for number, line in enumerate(path.read_text().splitlines(), start=1):
        yield Report(line, "heron", f"t{number}", path=f"{path}:{number}")

def read(path):
    return Converted("# " + path.read_text(), "toy 1.0")

LOADER = Loader("logs", frozenset({".log"}), load)
READER = Reader("odd documents", frozenset({".odd", ".page.odd"}), read)
MAIL = Loader("mail", frozenset({".mail.log"}), load)
TAKEN = Loader("mine", frozenset({".md"}), load)
"""


def test_reports_of_other_endings_are_loaded(package, tmp_path):
    points = (
        "[deepassay.reports]\nlog = toy_load:LOADER\n[deepassay.documents]\nodd = toy_load:READER\n"
    )
    package("toys", points, toy_load=LOADER)
    (tmp_path / "all" / "cuckoo").mkdir(parents=True)
    (tmp_path / "all" / "runs.log").write_text("One.\nTwo.\n")
    (tmp_path / "all" / "cuckoo" / "t1.odd").write_text("Three.")
    (tmp_path / "all" / "cuckoo" / "t2.md").write_text("Four.")
    found = [
        (each.agent, each.task, each.text, each.converter)
        for each in load_reports([tmp_path / "all"])
    ]
    assert found == [
        ("cuckoo", "t1", "# Three.", "toy 1.0"),
        ("cuckoo", "t2", "Four.", ""),
        ("heron", "t1", "One.", ""),
        ("heron", "t2", "Two.", ""),
    ]


def test_an_ending_may_have_two_dots_and_goes_before_a_shorter_one(package, tmp_path):
    points = "[deepassay.reports]\nm = toy_load:MAIL\n[deepassay.documents]\no = toy_load:READER\n"
    package("toys", points, toy_load=LOADER)
    (tmp_path / "all" / "cuckoo").mkdir(parents=True)
    (tmp_path / "all" / "runs.MAIL.log").write_text("One.\n")
    (tmp_path / "all" / "cuckoo" / "t1.page.odd").write_text("Two.")
    (tmp_path / "all" / "cuckoo" / "t2.odd").write_text("Three.")
    (tmp_path / "all" / "cuckoo" / "notes.log").write_text("none of ours")
    assert [(each.agent, each.task, each.text) for each in load_reports([tmp_path / "all"])] == [
        ("cuckoo", "t1", "# Two."),
        ("cuckoo", "t2", "# Three."),
        ("heron", "t1", "One."),
    ]
    with pytest.raises(BadReports, match=r"Also read: .*\*\.mail\.log, \*\.odd, \*\.page\.odd\."):
        load_reports([tmp_path / "all" / "cuckoo" / "notes.log"])


def test_every_command_on_reports_reads_what_packages_read(package, command, tmp_path):
    points = (
        "[deepassay.reports]\nlog = toy_load:LOADER\n[deepassay.documents]\nodd = toy_load:READER\n"
    )
    package("toys", points, toy_load=LOADER)
    folder = tmp_path / "all"
    folder.mkdir()
    (folder / "runs.log").write_text("Costs rose [7].\nCosts fell.\n")
    (folder / "t1.odd").write_text("Roofs are green [8].")
    for given in (["all"], ["all/runs.log", "all/t1.odd"]):
        status, said = command("lint", *given)
        assert status == 1, said
        assert "runs.log:1:1:12 DA101" in said and "all/t1.odd:1:19 DA101" in said, said
    assert "# Roofs are green." in command("clean", "all/t1.odd")[1]
    assert '"keys": ["8"]' in command("statements", "all/t1.odd")[1]
    status, err = command("statements", "all/runs.log")
    assert status == 2 and "it holds 2 reports, and this takes one" in err
    assert command("convert", "all", "-o", "made")[0] == 0
    assert (tmp_path / "made" / "all" / "t1.md").read_text() == "# Roofs are green [8]."
    (tmp_path / "x.dat").write_text("x")
    status, err = command("lint", "x.dat")
    assert status == 2 and "*.log, *.odd" in err
    status, err = command("convert", "x.dat")
    assert status == 2 and "DOCX, JSON, *.odd" in err


def test_an_ending_of_two_packages_is_refused(package, tmp_path):
    package("toys", "[deepassay.reports]\nmine = toy_load:TAKEN\n", toy_load=LOADER)
    (tmp_path / "a.md").write_text("# Sky")
    with pytest.raises(BadSetting, match=r"\.md is claimed by two packages, deepassay and toys"):
        load_reports([tmp_path / "a.md"])


def test_the_command_line_tells_in_one_sentence_and_goes_on(package, tmp_path, monkeypatch, capsys):
    package("broken-toys", "[deepassay.rules]\nwreck = toy_broken:R\n", toy_broken="1 / 0")
    (tmp_path / "a.md").write_text("# Sky\n\nAir.\n")
    monkeypatch.setattr(sys, "argv", ["deepassay", "lint", str(tmp_path / "a.md")])
    with pytest.raises(SystemExit):
        main()
    said = capsys.readouterr()
    assert "a.md" in said.out
    assert said.err == (
        "deepassay: wreck, of the rules in package broken-toys 1.0, cannot be loaded: "
        "ZeroDivisionError: division by zero. It is left out.\n"
    )


JUDGE = """
import json
def yes(prompt):
    return json.dumps({"evaluations": {"q1": {"score": 1, "justification": "Yes."}}})
def make(model):
    return yes
WRONG = 3
"""


@pytest.fixture
def command(tmp_path, monkeypatch, capsys):
    """command(...): what `deepassay ...` says, run in a folder with a task and a report."""
    (tmp_path / "tasks.jsonl").write_text(
        '{"id": "a", "prompt": "Why is the sky blue?", "checklist": ["Is air named?"]}'
    )
    (tmp_path / "heron").mkdir()
    (tmp_path / "heron" / "a.md").write_text("# Sky\n\nAir.\n")
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["deepassay", *arguments])
        capsys.readouterr()
        with pytest.raises(SystemExit) as end:
            main()
        said = capsys.readouterr()
        return end.value.code or 0, said.out + said.err

    return run


def test_judges_of_packages_and_modules_are_asked(package, command):
    package(
        "toys", "[deepassay.models]\ntoy = toy_judge:make\nodd = toy_judge:WRONG\n", toy_judge=JUDGE
    )
    given = ("evaluate", "tasks.jsonl", "heron", "--protocol", "coverage")
    for number, judge in enumerate(("toy:any", "toy_judge:yes")):
        status, said = command(*given, "--judge", judge, "--run", f"{number}.assay")
        assert status == 0 and "Scored 1 of 1" in said
        status, said = command("leaderboard", f"{number}.assay", "--wide")
        assert "toy_judge:yes" in said and "toys 1.0" in said
    status, said = command(*given, "--judge", "odd:any")
    assert status == 2 and "Package toys registers toy_judge:WRONG as the models 'odd'" in said
    status, said = command(*given, "--judge", "toy_judge:WRONG")
    assert status == 2 and "3 is no judge" in said
    status, said = command(*given, "--judge", "toy_nothing:yes")
    assert (
        status == 2 and "toy_nothing:yes cannot be loaded as a judge: ModuleNotFoundError" in said
    )


def test_doctor_says_what_packages_bring(package, command):
    points = (
        "[deepassay.protocols]\ntoy = toy_metric:Toy\n[deepassay.agents]\nwalker = toy_gone:Agent\n"
    )
    package("toys", points, toy_metric=TOY)
    status, said = command("doctor", "--judge", "toy_metric:print")
    assert status == 1
    assert "toy (protocols), version 1.0" in said
    assert (
        "walker, of the agents in package toys 1.0, cannot be loaded: ModuleNotFoundError" in said
    )


def test_a_protocol_of_a_module_is_replayed_where_it_is_named(package, command):
    package("toys", "", toy_metric=TOY)
    assert command("evaluate", "tasks.jsonl", "heron", "--protocol", "toy_metric:Toy")[0] == 0
    status, said = command("replay", "run.assay")
    assert status == 1 and "toy_metric:Toy" in said and "--protocol module:Class" in said
    status, said = command("replay", "run.assay", "--protocol", "toy_metric:Toy")
    assert status == 0 and "1 outcomes are the same to the byte, 0 are not." in said


def test_what_is_ours_is_what_is_registered():
    ours = {
        kind: {name for name, those in plugins.plugins(kind).items() if those[0].ours}
        for kind in plugins.KINDS
    }
    by_name = {"bibliography", "direct_rating", "process", "retrieval", "race_reward"}
    by_name |= {"revision"}
    assert ours["protocols"] == {*GROUPS["all"], *by_name}
    assert ours["models"] == set(PROVIDERS)
    for kind in plugins.KINDS:
        assert all(plugin.load() for name in ours[kind] for plugin in plugins.plugins(kind)[name])


def test_a_protocol_that_exists_only_as_a_program_is_evaluated(package, command):
    only = TOY.replace(
        "    loud: bool", '    edition: str = "code"\n    editions = ("code",)\n    loud: bool'
    )
    package("toys", "[deepassay.protocols]\ntoy = toy_metric:Toy\n", toy_metric=only)
    status, said = command(
        "evaluate", "tasks.jsonl", "heron", "--protocol", "toy", "--edition", "code"
    )
    assert status == 0, said
    status, said = command("replay", "run.assay")
    assert status == 0 and "1 outcomes are the same to the byte" in said
