"""`bundle`, `verify`, `commit` and `board`, as a person types them."""

import asyncio
import json
import shutil
import socket
import subprocess
import zipfile
from html import unescape
from pathlib import Path

import pytest

from deepassay.results.overview import notes_on
from deepassay.results.ranking import rank
from deepassay.results.shortfalls import shortfalls
from deepassay.runfile import AgentRun, RunFile, StoredRun
from deepassay.score import Cause, Score
from deepassay.wings.bundles.board import BundleBoard, FoundBundle, as_page, as_records
from deepassay.wings.bundles.manifest import Manifest, figures_of
from deepassay.wings.bundles.packing import MANIFEST
from deepassay.wings.bundles.verifying import Verification
from tests.results.judgements import make

PROTOCOLS = ("--protocol", "coverage", "--protocol", "presentation")


@pytest.fixture(scope="module")
def demo(repository):
    return repository / "examples" / "demo"


@pytest.fixture(scope="module")
def tasks(demo, tmp_path_factory):
    """Three tasks of the demo."""
    path = tmp_path_factory.mktemp("tasks") / "tasks.jsonl"
    lines = (demo / "tasks.jsonl").read_text("utf-8").splitlines(keepends=True)
    path.write_text("".join(lines[:3]), "utf-8")
    return path


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The run files of the demo that are there already, by their options."""
    return tmp_path_factory.mktemp("made"), {}


@pytest.fixture
def evaluated(deepassay, demo, tasks, made):
    """Evaluate these tasks with these options, once for all tests; the run file."""
    folder, known = made

    def run(name, *options):
        words = options or PROTOCOLS
        if words not in known:
            kept = folder / f"{len(known)}.assay"
            given = (tasks, demo / "reports", *words, "--date", "2026-05-04")
            done = deepassay("evaluate", *given, "--run", kept, "--quiet")
            assert done.returncode == 0, done.stderr
            known[words] = kept
        return shutil.copy(known[words], name)

    return run


@pytest.fixture
def no_network(monkeypatch):
    def refused(*arguments):
        raise AssertionError("a socket was connected")

    for name in ("connect", "connect_ex"):
        monkeypatch.setattr(socket.socket, name, refused)


def told(done):
    return " ".join((done.stdout + done.stderr).split())


def test_a_bundle_is_checked_elsewhere_without_a_network(
    deepassay, evaluated, tmp_path, no_network
):
    run = evaluated("run.assay")
    made = deepassay("bundle", run, "-o", "b/x.assay.zip", "--title", "Ours", "--note", "Word.")
    assert made.returncode == 0
    there = tmp_path / "elsewhere"
    there.mkdir()
    moved = shutil.move("b/x.assay.zip", there)
    Path(run).unlink()
    done = deepassay("verify", moved)
    assert done.returncode == 0
    assert "(Ours) holds. The submitter says: Word. Nobody signed it" in told(done)
    assert "18 outcomes are the same to the byte, 0 are not." in told(done)
    assert "6 of 6 rows of figures come out as claimed." in told(done)
    assert "were not promised before the run" in told(done)


def test_the_same_run_makes_the_same_bytes_and_nothing_is_overwritten(deepassay, evaluated):
    run = evaluated("run.assay")
    for name in ("one.zip", "two.zip"):
        assert deepassay("bundle", run, "-o", name).returncode == 0
    assert Path("one.zip").read_bytes() == Path("two.zip").read_bytes()
    assert "--force" in deepassay("bundle", run, "-o", "one.zip").stderr
    assert "is a run file" in deepassay("bundle", run, "-o", run, "--force").stderr


def test_figures_are_those_of_the_leaderboard(deepassay, evaluated):
    run = evaluated("run.assay")
    deepassay("bundle", run, "-o", "x.zip")
    found = json.loads(deepassay("verify", "x.zip", "--format", "json").stdout)
    boards = json.loads(deepassay("leaderboard", run, "--format", "json").stdout)
    shown = {(b["protocol"], s["agent"]): s["mean"] for b in boards for s in b["standings"]}
    assert {(f["protocol"], f["agent"]): f["mean"] for f in found["figures"]} == shown
    assert found["holds"] and found["environment"]["deepassay"]


def test_what_the_submitter_left_out_is_named(deepassay, demo, tmp_path):
    reports = shutil.copytree(demo / "reports", tmp_path / "reports")
    (reports / "heron" / "swift-boxes.md").unlink()
    (reports / "magpie" / "open-library.md").write_text("")
    with RunFile.create(tmp_path / "agents.assay") as run:
        for agent, task, text in (("wren", "swift-boxes", "# R"), ("crow", "swift-boxes", None)):
            did = AgentRun(text, "done" if text else "failed")
            asyncio.run(run.answering.keep(StoredRun(agent, task, 1, did)))
    given = (demo / "tasks.jsonl", reports, tmp_path / "agents.assay")
    done = deepassay("evaluate", *given, *PROTOCOLS, "--run", "r")
    assert done.returncode == 0
    deepassay("bundle", "r", "-o", "x.zip")
    done = deepassay("verify", "x.zip")
    assert done.returncode == 0
    assert "wren has no report for 5 tasks: " in told(done)
    assert "crow has no report for 6 tasks: " in told(done)
    assert "crow by presentation: unscored missing_input 6." in told(done)
    assert "heron has no report for 1 task: swift-boxes." in told(done)
    assert "magpie by coverage: unscored missing_input 1." in told(done)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (PROTOCOLS, None),
        (("--protocol", "coverage"), "presentation was promised and did not score."),
        ((*PROTOCOLS, "--protocol", "surface"), "Not promised, and scored: surface."),
        ((*PROTOCOLS, "--repeat", "2"), "coverage scored otherwise than promised: repeats."),
        ((*PROTOCOLS, "--limit", "1"), "2 tasks promised and not in the run"),
    ],
)
def test_a_run_is_held_to_what_was_promised(deepassay, tasks, evaluated, options, said):
    promised = deepassay("commit", tasks, *PROTOCOLS, "-o", "c.json")
    assert (promised.returncode, len(promised.stdout)) == (0, 65)
    packed = deepassay("bundle", evaluated("r", *options), "-o", "x.zip", "--commitment", "c.json")
    assert packed.returncode == 0, packed.stderr
    assert ("is not what c.json promises" in told(packed)) == bool(said)
    assert (said or "Wrote x.zip") in told(packed)
    done = deepassay("verify", "x.zip")
    assert done.returncode == (1 if said else 0)
    assert (said or f"(commitment {promised.stdout.strip()})") in told(done)


def test_other_judges_tasks_and_rubrics_are_not_those_promised(deepassay, demo, tmp_path):
    lines = (demo / "tasks.jsonl").read_text("utf-8").splitlines()
    (tmp_path / "tasks.jsonl").write_text("\n".join(lines[1:]).replace("London", "Paris"))
    judge = ("--judge", "openai:m", "--base-url", "http://localhost:9/v1")
    rubric = ("--protocol", "rubrics", "--rubric", demo / "rubrics.yaml")
    deepassay("commit", demo / "tasks.jsonl", *rubric, *judge, "-o", "c.json")
    words = (*rubric, "--run", "r", "--quiet", "--limit", 2)
    deepassay("evaluate", demo / "tasks.jsonl", demo / "reports", *words)
    deepassay("bundle", "r", "-o", "x.zip", "--commitment", "c.json")
    assert "rubrics scored otherwise than promised: judges" in told(deepassay("verify", "x.zip"))
    changed = (demo / "rubrics.yaml").read_text("utf-8").replace("weight: 5", "weight: 4")
    (tmp_path / "rubrics.yaml").write_text(changed)
    words = ("--protocol", "rubrics", "--rubric", tmp_path / "rubrics.yaml", "--run", "s")
    words = (*words, "--limit", 2)
    deepassay("evaluate", demo / "tasks.jsonl", demo / "reports", *words)
    packed = deepassay("bundle", "s", "-o", "y.zip", "--commitment", "c.json")
    assert "tasks promised and not in the run: " in told(packed)
    assert "not as it was promised" in told(deepassay("verify", "y.zip"))


def test_a_commitment_holds_no_text_of_a_task(deepassay, demo):
    deepassay("commit", demo / "tasks.jsonl", *PROTOCOLS, "-o", "c.json")
    text = Path("c.json").read_text("utf-8")
    lines = (demo / "tasks.jsonl").read_text("utf-8").splitlines()
    prompts = [json.loads(line)["prompt"] for line in lines]
    assert not any(prompt[:30] in text for prompt in prompts)
    assert "Add --protocol" in deepassay("commit", demo / "tasks.jsonl", "-o", "d.json").stderr


@pytest.fixture(scope="module")
def keys(tmp_path_factory):
    """Two keys, and a file that names the first."""
    if shutil.which("ssh-keygen") is None:
        pytest.skip("OpenSSH is not there")
    tmp_path = tmp_path_factory.mktemp("keys")
    for name in ("ours", "theirs"):
        words = ("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", tmp_path / name)
        subprocess.run(words, check=True)
    key = " ".join((tmp_path / "ours.pub").read_text().split()[:2])
    (tmp_path / "signers").write_text(f"ana@example.org {key}\n")
    return tmp_path / "ours", tmp_path / "theirs", tmp_path / "signers"


def test_a_signature_says_who_answers_for_a_bundle(deepassay, evaluated, keys):
    ours, theirs, signers = keys
    run = evaluated("r")
    for name, key in (("ours.assay.zip", ours), ("theirs.assay.zip", theirs)):
        assert deepassay("bundle", run, "-o", f"b/{name}", "--sign", key).returncode == 0
    deepassay("bundle", run, "-o", "b/none.assay.zip")
    assert "Signed by the key SHA256:" in told(deepassay("verify", "b/theirs.assay.zip"))
    done = deepassay("verify", "b/ours.assay.zip", "--signers", signers)
    assert done.returncode == 0 and "Signed by ana@example.org (SHA256:" in told(done)
    for name, said in (("theirs", "whom"), ("none", "Nobody signed it, and --signers asks")):
        done = deepassay("verify", f"b/{name}.assay.zip", "--signers", signers)
        assert done.returncode == 1 and said in told(done)
    done = deepassay("board", "b", "-o", "board.json", "--format", "json", "--signers", signers)
    assert done.returncode == 0 and "1 bundle of 3 hold" in told(done)
    rows = json.loads(Path("board.json").read_text("utf-8"))
    assert {row["bundle"] for row in rows} == {"ours.assay.zip"}
    assert "cannot sign" in told(deepassay("bundle", run, "-o", "x.zip", "--sign", signers))


def test_a_signed_manifest_cannot_be_changed(deepassay, evaluated, keys):
    deepassay("bundle", evaluated("r"), "-o", "x.zip", "--sign", keys[0], "--title", "First")
    with zipfile.ZipFile("x.zip") as packed, zipfile.ZipFile("y.zip", "w") as changed:
        for each in packed.namelist():
            text = packed.read(each)
            changed.writestr(each, text.replace(b"First", b"Other") if each == MANIFEST else text)
    done = deepassay("verify", "y.zip")
    assert done.returncode == 1 and "Its signature is not of this manifest" in told(done)


def test_a_board_ranks_equal_recipes_together_and_shows_what_does_not_hold(deepassay, evaluated):
    for name, options in (("a", PROTOCOLS), ("b", PROTOCOLS), ("c", (*PROTOCOLS, "--repeat", "2"))):
        title = ("--title", f"<i>{name}</i>")
        deepassay(
            "bundle", evaluated(f"{name}.assay", *options), "-o", f"b/{name}.assay.zip", *title
        )
    Path("b/torn.assay.zip").write_bytes(Path("b/a.assay.zip").read_bytes()[:5000])
    done = deepassay("board", "b", "-o", "site/board.html", "--title", "Räte & <b>")
    assert done.returncode == 0 and "3 bundles of 4 hold" in told(done)
    page = Path("site/board.html").read_text("utf-8")
    assert "<i>" not in page and "&lt;i&gt;a&lt;/i&gt;" in page and "<b>" not in page
    assert page.count("<table>") == 4  # two protocols, once and twice judged
    assert 'href="../b/a.assay.zip"' in page and "torn.assay.zip" in page
    assert "<script" not in page and "http" not in page.replace("http-equiv", "")
    assert deepassay("board", "none", "-o", "n.html").returncode == 2


def test_a_board_has_the_digits_of_a_leaderboard_whatever_a_score_ranges_over(
    deepassay, evaluated, demo
):
    given = ("--criteria", demo / "criteria.yaml", "--reference", "heron")
    run = evaluated("r.assay", "--protocol", "race", *PROTOCOLS, *given)
    deepassay("bundle", run, "-o", "b/r.assay.zip")
    assert deepassay("board", "b", "-o", "board.html").returncode == 0
    page = Path("board.html").read_text("utf-8")
    boards = json.loads(deepassay("leaderboard", run, "--format", "json").stdout)
    shown = [
        (f"{mean:.4f}", f"{low:.4f} to {high:.4f}")
        if board["protocol"] == "race"
        else (f"{mean:.1f}", f"{low:.1f} to {high:.1f}")
        for board in boards
        for mean, ends in ((each["mean"], each["interval"]) for each in board["standings"])
        for low, high in ([ends] if ends else ())
    ]
    assert len(shown) > 5
    assert all(f">{cell}</td>" in page for row in shown for cell in row)


def boards_of_bundles(*bundles):
    """A board of bundles that hold, each with these judgements."""
    entries = []
    for number, judged in enumerate(bundles):
        boards = rank(judged)
        manifest = Manifest.model_construct(title=f"Bundle {number}")
        found = Verification(manifest, None, False, (), (), (), figures_of(boards), boards)
        entries.append(FoundBundle(Path(f"{number}"), found, ()))
    return BundleBoard(tuple(entries))


def test_an_agent_without_a_score_is_last_on_a_board_where_others_are_below_zero():
    means = {"low": -0.2, "zero": 0.0, "high": 0.3}
    scores = {name: Score(mean, (-1.0, 1.0)) for name, mean in means.items()}
    outcomes = {"none": Cause.TIMEOUT, **scores}
    judged = [make(name, "t", outcome) for name, outcome in outcomes.items()]
    (rows,) = boards_of_bundles(judged).groups.values()
    assert [row.figures.agent for row in rows] == ["high", "zero", "low", "none"]


def test_ranks_and_order_of_a_board_are_those_of_one_leaderboard_of_all_bundles():
    tasks = [f"t{number}" for number in range(10)]
    agents = {"thin": (90, 7), "open": (61, 9), "high": (60, 10), "low": (40, 10), "none": (0, 0)}
    judged = {
        name: [
            make(name, task, value if at < scored else Cause.TIMEOUT)
            for at, task in enumerate(tasks)
        ]
        for name, (value, scored) in agents.items()
    }
    both = boards_of_bundles(
        [*judged["low"], *judged["thin"], *judged["none"]], [*judged["high"], *judged["open"]]
    )
    (rows,) = both.groups.values()
    (board,) = rank([each for own in judged.values() for each in own])
    told = [(row.agent, row.place, row.summary.tasks) for row in board.standings]
    assert told == [(e.figures.agent, e.standing.place, e.standing.summary.tasks) for e in rows]
    assert [(agent, place) for agent, place, _ in told] == [
        ("open", "1 to 2"), ("high", "1 to 2"), ("low", "3"), ("thin", "–"), ("none", "–"),
    ]  # fmt: skip
    page = as_page(both, "All", Path("board.html"))
    assert '<td class="number">–</td><td>thin</td><td class="number">90.0</td>' in page
    assert ">7/10</td>" in page and "fewer than 80% of the tasks (thin 7/10)" in page
    (thin,) = (each for each in as_records(both) if each["agent"] == "thin")
    assert (thin["rank"], thin["tasks"]) == (None, {"scored": 7, "expected": 10})


def test_a_board_says_what_the_scores_of_all_its_bundles_lack():
    lacking = {"low": (), "high": ("b",), "mid": ("b", "c")}
    bundles = []
    for agent, absent in lacking.items():
        judges = {
            name: {"cause": "timeout", "details": {}} if name in absent
            else {"value": 50.0, "details": {"statements_by": "mechanical"} if absent else {}}
            for name in "abc"
        }  # fmt: skip
        scored = Score(50.0, (0.0, 100.0), details={"judges": judges})
        outcomes = [scored] * 3 + [Cause.NOT_ASKED] * len(absent)
        bundles.append([make(agent, f"t{at}", each) for at, each in enumerate(outcomes)])
    page = as_page(boards_of_bundles(*bundles), "All", Path("board.html"))
    assert page.count("<table>") == 1
    together = rank([each for own in bundles for each in own])
    notes = [*shortfalls(*together), *notes_on(*together)]
    assert notes[0].startswith("Not finished: 3 of 30 judgements are still to come; ")
    assert "b has a part in 3 of 9 (timeout 6) and c has a part in 6 of 9 (timeout 3)" in notes[1]
    assert "Judged by the offline baseline" in notes[2]
    assert "read from the reports by rule" in notes[3] and len(notes) == 4
    told = unescape(page).replace("<code>", "`").replace("</code>", "`")
    assert [told.count(note) for note in notes] == [1, 1, 1, 1]
