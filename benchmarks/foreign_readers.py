"""What other people's readers say of the files that `benchmarks.formats` wrote. See there.

    python foreign_readers.py FOLDER

Needs Python 3.12 and every-eval-ever, inspect-ai, opentelemetry-proto and junitparser; where Harbor
is installed, its verifier reads the rewards. Nothing of DeepAssay is imported.
"""

from __future__ import annotations

import base64
import json
import math
import os
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Tree = Any
"""JSON, and what OTLP has for it."""

Figures = dict[str, dict[str, str]]
Found = Iterator[tuple[str, str, float]]
"""Of which kind (`means`, `scores`), of what, and the figure."""


def every_eval_ever(place: Path) -> Found:
    """The validator of the authors: no error, and no warning but that a developer is not known."""
    from every_eval_ever.validator.validate import _LocalRepositoryFiles, validate_file

    files = _LocalRepositoryFiles(place / "eee")
    for path in sorted((place / "eee").rglob("*.json*")):
        repo = path.relative_to(place / "eee").as_posix()
        report = validate_file(
            path,
            repo_path=repo,
            available_files=files,
            read_repo_file=files.read_text,
            run_semantic_checks=True,
        )
        warned = [each for each in report.warnings if "must be known" not in each["msg"]]
        assert report.valid and not warned, (path, report.errors, warned)
    for path in sorted((place / "eee").rglob("*.json")):
        whole = json.loads(path.read_text(encoding="utf-8"))
        agent = whole["model_info"]["name"]
        for each in whole["evaluation_results"]:
            named = json.dumps([each["evaluation_name"], agent])
            yield "means", named, each["score_details"]["score"]
        for line in path.with_name(f"{path.stem}_samples.jsonl").open(encoding="utf-8"):
            row = json.loads(line)
            task, _, which = row["sample_id"].rpartition("#")
            which = [int(number) for number in which.split(".")]
            named = json.dumps([row["evaluation_name"], agent, task, *which])
            yield "scores", named, row["evaluation"]["score"]


def inspect_logs(place: Path) -> Found:
    """Inspect's own reader of its logs."""
    from inspect_ai.log import read_eval_log

    for path in sorted((place / "eval").glob("*.eval")):
        log = read_eval_log(str(path))
        about = log.eval.metadata or {}
        overall = next(iter(log.results.scores), None)
        if overall is not None and "mean" in overall.metrics:
            named = json.dumps([about["protocol"], about["assay_agent"]])
            yield "means", named, overall.metrics["mean"].value
        for sample in log.samples or ():
            for score in (sample.scores or {}).values():
                value = score.value
                value = value["overall"] if isinstance(value, dict) else value
                if isinstance(value, int | float) and not math.isnan(value):
                    yield "values", "", value


def junit(place: Path) -> Found:
    """junitparser, by the names of cases."""
    from junitparser import JUnitXml

    read = JUnitXml.fromfile(str(place / "junit.xml"))
    assert {"testsuites"} == {read._elem.tag}
    for suite in read:
        cases = list(suite)
        assert suite.tests == len(cases)
        for case in cases:
            for each in case._elem.iter("property"):
                yield "values", "", float(each.get("value"))


def spans(place: Path) -> Found:
    """The messages of OTLP; their JSON has identifiers in hexadecimal, protobuf's in base64."""
    from google.protobuf import json_format
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

    for line in (place / "scores.otlp.jsonl").open(encoding="utf-8"):
        request = json_format.ParseDict(_as_base64(json.loads(line)), ExportTraceServiceRequest())
        again = ExportTraceServiceRequest.FromString(request.SerializeToString())
        for resource in again.resource_spans:
            for span in resource.scope_spans[0].spans:
                assert len(span.trace_id) == 16 and len(span.span_id) == 8
                assert len(span.links) == 1 and len(span.links[0].trace_id) == 16
                told = {each.key: _plain(each.value) for each in span.attributes}
                prefix = "evaluations.0.evaluation"
                assert told[f"{prefix}.name"]
                assert {f"{prefix}.{name}" for name in ("score", "label")} & told.keys()
                json.loads(told.get(f"{prefix}.metadata", "{}"))
                if f"{prefix}.score" in told:
                    names = ("agent", "task", "sample", "repeat")
                    place_of = [told[f"deepassay.{name}"] for name in names]
                    named = json.dumps([told[f"{prefix}.name"], *place_of])
                    yield "scores", named, told[f"{prefix}.score"]


def _as_base64(value: Tree) -> Tree:
    if isinstance(value, list):
        return [_as_base64(each) for each in value]
    if isinstance(value, dict):
        return {
            key: base64.b64encode(bytes.fromhex(each)).decode()
            if key in ("traceId", "spanId")
            else _as_base64(each)
            for key, each in value.items()
        }
    return value


def _plain(value: Tree) -> Tree:
    return getattr(value, value.WhichOneof("value"))


def rewards(place: Path) -> Found:
    """The way in which Harbor's verifier reads a reward."""
    from types import SimpleNamespace

    from harbor.models.verifier.result import VerifierResult
    from harbor.verifier.verifier import Verifier

    for path in sorted((place / "rewards").glob("*/reward.json")):
        named = json.loads((path.parent / "place.json").read_text(encoding="utf-8"))
        reader = SimpleNamespace(trial_paths=SimpleNamespace(reward_json_path=path))
        result = VerifierResult(rewards=Verifier._parse_reward_json(reader))
        assert 0 <= result.rewards["reward"] <= 1
        yield "rewards", json.dumps(named), result.rewards["reward"]


READERS = {
    "every-eval-ever": every_eval_ever,
    "inspect-ai": inspect_logs,
    "junitparser": junit,
    "opentelemetry-proto": spans,
    "harbor": rewards,
}


def main(folder: Path) -> int:
    """Read everything; print how many figures came out to the bit, and what did not."""
    wrong = 0
    places = sorted(each for each in folder.iterdir() if (each / "figures.json").exists())
    for name, reader in READERS.items():
        counts: Counter[str] = Counter()
        for place in places:
            figures: Figures = json.loads((place / "figures.json").read_text(encoding="utf-8"))
            all_values = set(figures["scores"].values())
            try:
                for kind, named, value in reader(place):
                    counts["figures"] += 1
                    own = float(value).hex()
                    known = own in all_values if kind == "values" else figures[kind][named] == own
                    counts["to the bit"] += known
            except ImportError as error:
                print(f"{name}: not read ({error})")
                break
            except Exception as error:  # whatever a foreign reader says is what is asked for
                counts["errors"] += 1
                print(f"{name}: {place.name}: {type(error).__name__}: {str(error)[:600]}")
        else:
            wrong += counts["errors"] + counts["figures"] - counts["to the bit"]
            print(
                f"{name}: {len(places)} runs, {counts['errors']} errors, {counts['figures']} "
                f"figures, {counts['to the bit']} of them to the bit"
            )
    return 1 if wrong else 0


if __name__ == "__main__":
    os.environ.setdefault("INSPECT_DISABLE_MODEL_API", "1")
    sys.exit(main(Path(sys.argv[1])))
