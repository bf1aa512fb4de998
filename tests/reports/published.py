"""Reports that were published, of several systems, where they are at hand."""

import json
from collections.abc import Iterator
from pathlib import Path


def published(shared: Path) -> Iterator[tuple[str, str]]:
    """System and text of every report."""
    data = shared / "data"
    for path in sorted((data / "sets/researcherbench/reports").glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            yield path.stem, json.loads(line)["response"]
    for path in sorted((data / "bench/reports").glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            yield path.stem, json.loads(line)["article"]
    for line in (data / "bench/fact/dls.validated.jsonl").read_text(encoding="utf-8").splitlines():
        yield "dls", json.loads(line)["article"]
    for path in sorted((data / "sets/deepresearcheval/gemini_2.5_pro").glob("*.json")):
        for entry in json.loads(path.read_text(encoding="utf-8"))["entries"]:
            yield "gemini-2.5-pro", entry["response"]
    for path in sorted((data / "live/reports").glob("*.md")):
        yield "live", path.read_text(encoding="utf-8")
