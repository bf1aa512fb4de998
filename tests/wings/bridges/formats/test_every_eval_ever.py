"""Runs as files of Every Eval Ever: what their schemas and their gate ask for, and every figure.

`python -m benchmarks.formats` has the validator of their authors look at a hundred such runs.
"""

import hashlib
import json
import re
from pathlib import Path

import pytest

from deepassay.results.ranking import rank
from deepassay.run.showing.boards import read_scores
from deepassay.run.showing.records import records_of
from deepassay.score import Score
from deepassay.wings.bridges.formats.every_eval_ever import as_part, models_given
from tests.wings.bridges.formats.random_runs import NAMES, random_run

UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"
PLACE = re.compile(rf'data/[^/\\<>:"|?*]+/[^/\\<>:"|?*]+/[^/\\<>:"|?*]+/{UUID}\.json')


@pytest.fixture
def schemas(shared):
    jsonschema = pytest.importorskip("jsonschema")
    folder = shared / "data" / "formats" / "every_eval_ever"
    texts = [
        json.loads((folder / f"{name}.schema.json").read_text("utf-8"))
        for name in ("eval", "instance_level_eval")
    ]
    return [jsonschema.Draft7Validator(each) for each in texts]


def exported(deepassay, run, *options):
    """The aggregates and the samples of a run, by their paths."""
    done = deepassay("export", run, "--format", "eee", "-o", "out", "--force", *options)
    assert done.returncode == 0, done.stderr
    files = sorted(Path("out").rglob("*.json"))
    return {
        str(path.relative_to("out")): (
            json.loads(path.read_text("utf-8")),
            path.with_name(f"{path.stem}_samples.jsonl").read_bytes(),
        )
        for path in files
    }, done.stderr


@pytest.mark.parametrize("seed", range(4))
def test_random_runs_pass_the_schemas_and_lose_no_bit(deepassay, schemas, tmp_path, seed):
    run = tmp_path / f"run{seed}.assay"
    random_run(run, seed)
    files, _ = exported(deepassay, run, "--texts")
    for whole, lines in files.values():
        assert [*schemas[0].iter_errors(whole)] == []
        for line in lines.splitlines():
            assert [*schemas[1].iter_errors(json.loads(line))] == []
    means = {
        (row.agent, board.protocol): row.summary
        for board in rank(read_scores([run]))
        for row in board.standings
        if row.summary.mean is not None
    }
    found = {
        (whole["model_info"]["name"], each["evaluation_name"]): each
        for whole, _ in files.values()
        for each in whole["evaluation_results"]
    }
    assert found.keys() == means.keys()
    for place, summary in means.items():
        details = found[place]["score_details"]
        metric = found[place]["metric_config"]
        assert details["score"].hex() == summary.mean.hex()
        ends = details["uncertainty"].get("confidence_interval")
        assert (ends and (ends["lower"], ends["upper"])) == summary.interval
        low, high = (float(metric[name]) for name in ("min_score", "max_score"))
        assert low <= details["score"] <= high
    values = {
        (each.agent, each.protocol, f"{each.task}#{each.sample}.{each.repeat}"): each.outcome.value
        for each in records_of([run])
        if isinstance(each.outcome, Score)
    }
    samples = {
        (whole["model_info"]["name"], row["evaluation_name"], row["sample_id"]): row
        for whole, lines in files.values()
        for row in map(json.loads, lines.splitlines())
    }
    assert {place: each["evaluation"]["score"] for place, each in samples.items()} == values


def test_the_gate_of_the_collection_is_passed_by_what_it_asks_for(deepassay, tmp_path):
    run = tmp_path / "run.assay"
    random_run(run, 3)
    files, told = exported(deepassay, run)
    for place, (whole, lines) in files.items():
        held = whole["detailed_evaluation_results"]
        rows = [json.loads(line) for line in lines.decode("ascii").splitlines()]
        assert PLACE.fullmatch(place)
        assert held["file_path"] == place.removesuffix(".json") + "_samples.jsonl"
        assert held["checksum"] == hashlib.sha256(lines).hexdigest()
        assert held["total_rows"] == len(rows) > 0
        results = {each["evaluation_result_id"] for each in whole["evaluation_results"]}
        assert {row["evaluation_result_id"] for row in rows} == results
        assert {row["evaluation_id"] for row in rows} == {whole["evaluation_id"]}
        assert {row["model_id"] for row in rows} == {whole["model_info"]["id"]}
        texts = [row["output"]["raw"][0] for row in rows] + [row["input"]["raw"] for row in rows]
        assert all(re.fullmatch(r"sha256:[0-9a-f]{64}", each) for each in texts)
    unscored = sum(not isinstance(each.outcome, Score) for each in records_of([run]))
    assert f"{unscored} unscored judgement" in told and "--model-of" in told


def test_the_same_run_gives_the_same_files_with_the_models_that_are_named(deepassay, small):
    deepassay("evaluate", *small, "--protocol", "coverage", "--date", "2026-05-04")
    named = ("--model-of", "heron=qwen/qwen3-32b", "--organisation", "Räte")
    first, told = exported(deepassay, "run.assay", *named, "--relationship", "third_party")
    again, _ = exported(deepassay, "run.assay", *named, "--relationship", "third_party")
    assert first == again
    (place,) = [each for each in first if "/qwen/qwen3-32b/" in each]
    whole, _ = first[place]
    assert whole["model_info"]["additional_details"]["agent_scaffold"] == "heron"
    assert whole["source_metadata"]["source_organization_name"] == "Räte"
    assert "behind cuckoo" in told and "heron" not in told
    assert "llm_scoring" not in whole["evaluation_results"][0]["metric_config"]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--format", "eee"), "Name it with -o"),
        (("--format", "eee", "-o", "x", "--model-of", "heron"), "AGENT=DEVELOPER/MODEL"),
        (("--format", "eee", "-o", "x", "--model-of", "heron=a/../b"), "AGENT=DEVELOPER/MODEL"),
        (("--format", "eee", "-o", "x", "--model-of", "crane=a/b"), "Agents: cuckoo, heron"),
        (("--model-of", "heron=a/b"), "goes with --format eee"),
        (("--format", "junit", "--organisation", "Ours"), "goes with --format eee"),
        (("--format", "openinference", "-o", "x", "--texts"), "goes with --format jsonl or"),
        (("--format", "eee", "-o", "x", "--tables", "items"), "goes with --format jsonl or"),
        (("--format", "eee", "-o", "x", "--reward", "race"), "goes with --format harbor"),
    ],
)
def test_what_cannot_be_published_is_refused(deepassay, small, options, says):
    deepassay("evaluate", *small, "--protocol", "coverage")
    done = deepassay("export", "run.assay", *options)
    assert done.returncode == 2 and says in done.stderr
    assert not Path("x").exists()


def test_nothing_is_overwritten(deepassay, small):
    deepassay("evaluate", *small, "--protocol", "coverage")
    exported(deepassay, "run.assay")
    done = deepassay("export", "run.assay", "--format", "eee", "-o", "out")
    assert done.returncode == 2 and "--force" in done.stderr


@pytest.mark.parametrize("name", NAMES)
def test_any_name_becomes_a_part_of_a_path_on_every_system(name):
    part = as_part(name)
    assert part and part == as_part(part) and len(part.encode()) <= 200
    assert not re.search(r'[<>:"/\\|?*\x00-\x1f\x7f]|[. ]$', part)
    assert part.lower() not in ("con", "data", "unknown", "..")
    assert models_given([f"{name}=a/m"]) == {name: "a/m"}
