"""The house rules that a machine can check: storeys, sizes, pins, addresses and own words."""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterable, Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import pytest

import deepassay
from deepassay.plugins import of_wing

REPOSITORY = Path(__file__).resolve().parent.parent
SOURCE = REPOSITORY / "src" / "deepassay"

# From the footing up. A room may use the rooms on lower storeys, and itself.
STOREYS: tuple[frozenset[str], ...] = (
    frozenset(
        {
            "score",
            "errors",
            "text",
            "network",
            "stats",
            "files",
            "stopping",
            "glossary",
            "limits",
            "plugins",
            "runfile",
            "intake",
        }
    ),
    frozenset({"reports", "sources", "models", "results", "web"}),
    frozenset({"tasks"}),
    frozenset({"protocols", "agents"}),
    frozenset({"run", "cli"}),
    frozenset({"__main__"}),
)
# Each may use the core, itself, and these. The core uses none: it finds them as it finds packages.
WINGS: dict[str, frozenset[str]] = {
    "bridges": frozenset(),
    "build": frozenset(),
    "bundles": frozenset(),
    "papers": frozenset({"people"}),
    "people": frozenset(),
    "research": frozenset(),
    "trials": frozenset({"build", "people"}),
    "view": frozenset({"people"}),
}
# Neighbours that one may call on: some raise our errors, the command line starts a run.
SIDEWAYS = {
    ("runfile", "score"),
    ("runfile", "errors"),
    ("runfile", "files"),
    ("intake", "errors"),
    ("intake", "files"),
    ("intake", "score"),
    ("intake", "text"),
    ("plugins", "errors"),
    ("network", "errors"),
    ("stopping", "errors"),
    ("cli", "run"),
}
# Below, and closed to the room all the same: tasks ask nobody.
CLOSED = {("tasks", "models")}

BANNED_NAMES = {"utils", "util", "helpers", "helper", "common", "core", "manager", "base", "misc"}

FILE_LINES = {"src": 400, "benchmarks": 400, "tests": 500}
FUNCTION_LINES = 60


# ------------------------------------------------------------------ storeys


@cache
def modules() -> dict[str, Path]:
    """Dotted name of every module of the package, with its file."""
    found = {}
    for path in sorted(SOURCE.rglob("*.py")):
        parts = ["deepassay", *path.relative_to(SOURCE).with_suffix("").parts]
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


class Definition(NamedTuple):
    """A class or function. says: its docstring. outermost: whether it stands in no other."""

    name: str
    line: int
    lines: int
    says: str
    is_class: bool
    outermost: bool


class Contents(NamedTuple):
    """What a file holds. imported: modules of ours, each with whether types alone need it."""

    imported: tuple[tuple[str, bool], ...]
    defined: tuple[Definition, ...]
    strings: tuple[str, ...]


@cache
def contents(path: Path) -> Contents:
    """Of each file once: to read them takes longer than all that is asked of them."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    nodes = list(ast.walk(tree))
    only_for_types = {
        id(inner)
        for node in nodes
        if isinstance(node, ast.If)
        if isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    imported: list[tuple[str, bool]] = []
    defined = []
    for node in nodes:
        if isinstance(node, ast.Import | ast.ImportFrom):
            imported += [(name, id(node) in only_for_types) for name in _ours(node, path)]
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            assert node.end_lineno is not None
            lines, says = node.end_lineno - node.lineno + 1, ast.get_docstring(node) or ""
            kind = isinstance(node, ast.ClassDef), node in tree.body
            defined.append(Definition(node.name, node.lineno, lines, says, *kind))
    return Contents(tuple(imported), tuple(defined), tuple(strings(nodes)))


def strings(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """The strings of a program."""
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def _ours(node: ast.Import | ast.ImportFrom, path: Path) -> Iterator[str]:
    """The modules of ours that are imported."""
    known = modules().keys()
    if isinstance(node, ast.Import):
        yield from (name.name for name in node.names if name.name in known)
        return
    assert node.level == 0, f"{path}:{node.lineno} imports relatively"
    for name in node.names:
        inner = f"{node.module}.{name.name}"
        if inner in known or node.module in known:
            yield inner if inner in known else str(node.module)


def imports(path: Path, *, typing_too: bool) -> list[str]:
    """Modules of ours that a file imports, wherever in the file it does."""
    return [name for name, for_types in contents(path).imported if typing_too or not for_types]


def room(module: str) -> str:
    """The room that a module stands in; the package itself is the front door."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else "the front door"


def wing(module: str) -> str:
    """The wing that a module belongs to; nothing for the core."""
    parts = module.split(".")
    return parts[2] if parts[1:2] == ["wings"] and len(parts) > 2 else ""


def storey(name: str) -> int:
    return next(number for number, rooms in enumerate(STOREYS) if name in rooms)


def may_use(importer: str, imported: str) -> bool:
    mine, other = wing(importer), wing(imported)
    if mine or other:
        return not other or other == mine or other in WINGS.get(mine, ())
    here, there = room(importer), room(imported)
    if there in {here, "the front door"} or (here, there) in SIDEWAYS:
        return True
    if (here, there) in CLOSED:
        return False
    return storey(there) < storey(here)


def test_every_room_has_its_place_in_the_table() -> None:
    placed = frozenset.union(*STOREYS)
    assert {room(name) for name in modules()} - {"the front door", "wings"} <= placed
    assert {wing(name) for name in modules()} - {""} == set(WINGS)


def test_imports_lead_downward_only() -> None:
    wrong = [
        f"{importer} imports {imported}"
        for importer, path in modules().items()
        if importer != "deepassay"
        for imported in imports(path, typing_too=True)
        if not may_use(importer, imported)
    ]
    assert not wrong


def test_every_wing_needs_what_the_table_gives_it() -> None:
    used = {
        (wing(importer), wing(imported))
        for importer, path in modules().items()
        if wing(importer)
        for imported in imports(path, typing_too=True)
    }
    assert {(name, other) for name, others in WINGS.items() for other in others} <= used


LATE = re.compile(r"""of_wing\(\s*f?"(\w+)\.|import_module\(\s*f?"deepassay\.wings\.(\w+)""")
BY_NAME = {
    ("deepassay.cli.results", "bridges"),
    ("deepassay.run.asking.doctor", "bridges"),
    ("deepassay.run.asking.doctor", "research"),
    ("deepassay.run.asking.evaluate", "bridges"),
    ("deepassay.run.asking.starting", "build"),
    ("deepassay.run.library", "view"),
    ("deepassay.run.showing.export", "bridges"),
}
"""Where the core takes something of a wing by name, or says that it is not there."""


def test_what_the_core_takes_of_wings_by_name_is_known() -> None:
    assert {
        (name, first or second)
        for name, path in modules().items()
        if not wing(name)
        for first, second in LATE.findall(path.read_text(encoding="utf-8"))
    } == BY_NAME


def test_what_the_core_takes_of_wings_by_name_is_there() -> None:
    named = re.compile(r'of_wing\(\s*f?"([\w.{}]+)",\s*"(\w+)"')
    taken = {
        (module.replace("{settings.engine}", "ray"), name)
        for path in modules().values()
        for module, name in named.findall(path.read_text(encoding="utf-8"))
    }
    assert len(taken) >= len(BY_NAME)
    for module, name in taken:
        assert callable(of_wing(module, name))


def test_the_front_door_loads_no_room() -> None:
    assert not imports(modules()["deepassay"], typing_too=False)


@pytest.mark.parametrize("name", deepassay.__all__)
def test_the_front_door_opens_to_every_name(name: str) -> None:
    assert getattr(deepassay, name)


def test_edition_code_is_loaded_where_it_is_asked_for() -> None:
    def is_of_a_program(name: str) -> bool:
        return "released" in name.rpartition(".")[2] and name != "deepassay.protocols.released"

    read_first = {
        f"{name} imports {imported}"
        for name, path in modules().items()
        if path.name == "protocol.py" or path.parent.name == "protocols"
        if not is_of_a_program(name)
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.Import | ast.ImportFrom)
        for imported in _ours(node, path)
        if is_of_a_program(imported)
    }
    assert not read_first


def test_no_module_imports_itself_by_a_detour() -> None:
    graph = {
        name: {other for other in imports(path, typing_too=False) if other != name}
        for name, path in modules().items()
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(f"import cycle: {' -> '.join(error.args[1])}")


@pytest.mark.parametrize(
    ("importer", "imported"),
    [
        ("deepassay.reports.clean", "deepassay.models.ask"),
        ("deepassay.results.aggregate", "deepassay.tasks.task"),
        ("deepassay.tasks.loaders", "deepassay.models.ask"),
        ("deepassay.protocols.coverage", "deepassay.run.asking.plan"),
        ("deepassay.run.asking.plan", "deepassay.cli.app"),
        ("deepassay.score", "deepassay.errors"),
        ("deepassay.cli.app", "deepassay.wings.build.commands"),
        ("deepassay.wings.people.study", "deepassay.wings.papers.tables"),
    ],
)
def test_the_table_forbids(importer: str, imported: str) -> None:
    assert not may_use(importer, imported)


def test_no_room_has_a_name_that_says_nothing() -> None:
    names = {part for name in modules() for part in name.split(".")}
    assert not names & BANNED_NAMES


# ------------------------------------------------------------------ one word for one thing


def test_a_class_name_means_one_thing() -> None:
    places: dict[str, list[str]] = {}
    for name, path in modules().items():
        for each in contents(path).defined:
            if each.is_class and each.outermost:
                places.setdefault(each.name.lstrip("_"), []).append(name)
    assert not {word: found for word, found in places.items() if len(found) > 1}


def test_every_docstring_says_something_alone() -> None:
    empty = [
        f"{name}:{each.line} {each.name}: {each.says}"
        for name, path in modules().items()
        for each in contents(path).defined
        if each.says
        and (
            "The same" in each.says[:40]
            or each.says.lower().startswith("see ")
            or len(each.says) < 24
        )
    ]
    assert not empty


# ------------------------------------------------------------------ sizes


def test_files_are_short() -> None:
    long = {
        str(path.relative_to(REPOSITORY)): lines
        for folder, most in FILE_LINES.items()
        for path in sorted((REPOSITORY / folder).rglob("*.py"))
        if (lines := path.read_text(encoding="utf-8").count("\n")) > most
    }
    assert not long


def test_functions_are_short() -> None:
    long = {
        f"{path.relative_to(SOURCE).as_posix()}:{each.name}": each.lines
        for path in modules().values()
        for each in contents(path).defined
        if not each.is_class and each.lines > FUNCTION_LINES
    }
    assert not long


# ------------------------------------------------------------------ what may not be in the files


@cache
def texts() -> dict[str, str]:
    """Every text file of the repository, as git sees it, by its path."""
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=REPOSITORY,
        capture_output=True,
        check=False,
    )
    if listing.returncode:
        pytest.skip("needs a git checkout")
    found = {}
    for name in listing.stdout.decode().split("\0"):
        path = REPOSITORY / name
        if name and path.is_file():
            try:
                found[name] = path.read_text(encoding="utf-8")
            except UnicodeDecodeError:
                continue
    return found


def test_constraints_pin_names_and_versions_only() -> None:
    pin = re.compile(r"[A-Za-z0-9._-]+==[^@/ ]+")
    lines = (REPOSITORY / "constraints.txt").read_text(encoding="utf-8").splitlines()
    assert lines
    assert [line for line in lines if not pin.fullmatch(line)] == []


def test_no_file_names_a_package_registry() -> None:
    # Written in pieces, since this file is searched too.
    hosts = ["py" + "pi.org", "python" + "hosted.org", "npm" + "js.org", "crates" + ".io",
             "proxy.go" + "lang.org", "ana" + "conda.org"]  # fmt: skip
    assert [
        (name, host) for name, text in texts().items() for host in hosts if host in text.lower()
    ] == []


def test_no_file_holds_a_path_of_somebodys_machine() -> None:
    path = re.compile(r"(?<![\w.:/~-])/(?:[w]ork|[t]mp|[h]ome|[r]oot|[U]sers)/\w")
    assert [
        f"{name}: {match.group()}"
        for name, text in texts().items()
        for match in path.finditer(text)
    ] == []


# ------------------------------------------------------------------ our own words

RUN = 8  # so many consecutive words shared with a paper are too many

# Names, menus and formulas of the papers, which cannot be said otherwise.
EXEMPT = (
    "DeepResearch Bench: A Comprehensive Benchmark for Deep Research Agents",
    "LiveResearchBench: A Live Benchmark for User-Centric Deep Research in the Wild",
    "ResearchRubrics: A Benchmark of Prompts and Rubrics For Evaluating Deep Research Agents",
    "https://vertexaisearch.cloud.google.com/grounding-api-redirect",
)


def words(text: str) -> list[str]:
    return re.findall(r"[a-z]+|\d+", text.lower())


def runs(found: list[str]) -> Iterator[tuple[str, ...]]:
    return zip(*(found[start:] for start in range(RUN)), strict=False)


EXEMPTED = [f" {' '.join(words(phrase))} " for phrase in EXEMPT]


def own(text: str) -> list[str]:
    """The words of a text, a mark in place of each exempted phrase."""
    found = f" {' '.join(words(text))} "
    for phrase in EXEMPTED:
        found = found.replace(phrase, " * ")
    return found.split()


def prose(name: str, text: str) -> Iterator[str]:
    """What a person wrote in a file: all of it, or the strings and comments of a program."""
    if not name.endswith(".py"):
        yield text
        return
    yield "\n".join(re.findall("#.*", text))  # and what else has this sign, as tokens take long
    path = REPOSITORY / name
    ours = path.is_relative_to(SOURCE)
    yield from contents(path).strings if ours else strings(ast.walk(ast.parse(text)))


def test_csv_is_written_in_one_place_where_no_cell_is_a_formula() -> None:
    writes = re.compile(r"csv\.(?:writer|DictWriter)\b")
    found = [path.name for path in modules().values() if writes.search(path.read_text("utf-8"))]
    assert sorted(found) == ["tables.py"]


def test_nothing_is_worded_as_in_the_papers(shared: Path) -> None:
    papers: dict[tuple[str, ...], str] = {}
    for paper in sorted((shared / "papers").glob("*.txt")):
        papers |= dict.fromkeys(runs(words(paper.read_text(encoding="utf-8"))), paper.name)
    assert len(papers) > 10_000
    borrowed = {
        f"{name}: {' '.join(run)} ({papers[run]})"
        for name, text in texts().items()
        for part in prose(name, text)
        if len(part) >= 2 * RUN - 1  # letters, and what parts them: most strings are shorter
        for run in runs(own(part))
        if run in papers
    }
    assert sorted(borrowed) == []


def test_every_exemption_is_needed(shared: Path) -> None:
    papers = " ".join(
        " ".join(words(paper.read_text(encoding="utf-8")))
        for paper in sorted((shared / "papers").glob("*.txt"))
    )
    assert [phrase for phrase in EXEMPT if " ".join(words(phrase)) not in papers] == []


def test_every_prompt_stands_in_both_languages() -> None:
    prompts = {path.relative_to(SOURCE) for path in SOURCE.rglob("prompts/**/*") if path.is_file()}
    assert prompts
    odd = [path for path in prompts if not path.name.endswith((".en.md", ".zh.md"))]
    stems = {
        language: {
            str(path).removesuffix(f".{language}.md")
            for path in prompts
            if path.name.endswith(f".{language}.md")
        }
        for language in ("en", "zh")
    }
    assert not odd
    assert stems["en"] == stems["zh"]
