"""A bundle that holds, and what somebody who changes it can make fit again."""

from __future__ import annotations

import hashlib
import json
import random
import sqlite3
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from deepassay.cli import main
from deepassay.errors import BadInput
from deepassay.runfile.seals import keep_seals
from deepassay.wings.bundles.manifest import HeldFile
from deepassay.wings.bundles.packing import MANIFEST, RUN, SIGNATURE, write_bundle
from deepassay.wings.bundles.verifying import verify

Files = dict[str, bytes]


@dataclass(frozen=True)
class Manipulation:
    """What was done to a bundle. says: what must be said against it, as a pattern.

    trusting: whoever checks it asks for no signature. published: nor for a promise, where False.
    """

    what: str
    bundle: bytes
    says: str
    trusting: bool = True
    published: bool = False


@dataclass
class Honest:
    """A bundle that holds, signed and promised, and what belongs to it. other: another one."""

    files: Files
    other: Files
    folder: Path
    chance: random.Random
    signers: Path = field(init=False)

    def __post_init__(self) -> None:
        self.signers = self.folder / "signers"

    @property
    def published(self) -> str:
        return str(json.loads(self.files[MANIFEST])["commitment"])

    def problems(self, done: Manipulation) -> Sequence[str]:
        """What is said against a manipulated bundle by who checks it."""
        path = self.folder / "manipulated.zip"
        path.write_bytes(done.bundle)
        try:
            found = verify(
                path,
                None if done.trusting else self.signers,
                self.published if done.published else None,
            )
        except BadInput as error:
            assert error.remedy
            return (error.problem,)
        return found.problems

    @contextmanager
    def edited(self, files: Files, *, sealed: bool) -> Iterator[sqlite3.Connection]:
        """The run file among these, to be changed; sealed: the seals are made anew as well."""
        path = self.folder / "edited.assay"
        path.write_bytes(files[RUN])
        with closing(sqlite3.connect(path)) as db:
            if sealed:
                keep_seals(db)
            yield db
            db.commit()
        files[RUN] = path.read_bytes()


def honest(folder: Path, runs: Sequence[Path], commitments: Sequence[Path], seed: int) -> Honest:
    """Pack two runs with their commitments, each signed; the keys of two signers lie beside."""
    for name in ("key", "foreign"):
        words = ("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", folder / name)
        subprocess.run(words, check=True)
    key = " ".join((folder / "key.pub").read_text().split()[:2])
    (folder / "signers").write_text(f"ana@example.org {key}\n")
    packed = []
    for number, (run, commitment) in enumerate(zip(runs, commitments, strict=True)):
        path = folder / f"honest-{number}.zip"
        write_bundle(run, path, commitment=commitment, key=folder / "key", note="As it came out.")
        with zipfile.ZipFile(path) as whole:
            packed.append({name: whole.read(name) for name in whole.namelist()})
    made = Honest(packed[0], packed[1], folder, random.Random(seed))
    assert not made.problems(Manipulation("none", zipped(made.files), "", False, True))
    return made


def zipped(files: Mapping[str, bytes]) -> bytes:
    """Files as a bundle."""
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as packed:
        for name, text in files.items():
            packed.writestr(name, text)
    return buffer.getvalue()


def unzipped(bundle: bytes) -> Files | None:
    """The files of a bundle; None where it cannot be unpacked."""
    try:
        with zipfile.ZipFile(BytesIO(bundle)) as packed:
            return {name: packed.read(name) for name in packed.namelist()}
    except Exception:  # whatever a torn archive ends in
        return None


def unsigned(files: Files) -> Files:
    return {name: text for name, text in files.items() if name != SIGNATURE}


def fitted(files: Files, **changed: Any) -> bytes:
    """The files with a manifest that fits them and says this besides, without a signature."""
    manifest = json.loads(files[MANIFEST]) | changed
    manifest["files"] = {
        name: HeldFile(sha256=hashlib.sha256(text).hexdigest(), bytes=len(text)).model_dump()
        for name, text in files.items()
        if name not in (MANIFEST, SIGNATURE)
    }
    return zipped(unsigned({**files, MANIFEST: json.dumps(manifest).encode()}))


def flipped(value: Any) -> Any:
    """The value with one bit of it another, still of its type."""
    if isinstance(value, int):
        return value ^ (1 << 20)
    if isinstance(value, float):
        return value * (1 + 2**-50) or 5e-324
    content = bytearray(value.encode() if isinstance(value, str) else value)
    content[len(content) // 2] ^= 1
    return content.decode("utf-8", "replace") if isinstance(value, str) else bytes(content)


JUDGED = ("presentation", "coverage", "race", "fact", "rubrics")
"""Five protocols that ask a judge; one of them reads pages."""


def typed(*words: object) -> None:
    """A command as a person types it."""
    with pytest.MonkeyPatch.context() as patch, pytest.raises(SystemExit) as end:
        patch.setattr(sys, "argv", ["deepassay", *map(str, words)])
        main()
    assert not end.value.code


def promised_run(folder: Path, demo: Path, tasks: Path, judge: str) -> tuple[Path, Path]:
    """The demo's reports for these tasks by five protocols and a judge; the run, its promise."""
    run, promise = folder / f"{tasks.stem}.assay", folder / f"{tasks.stem}.json"
    protocols = [word for name in JUDGED for word in ("--protocol", name)]
    options = (
        *(*protocols, "--criteria", demo / "criteria.yaml", "--rubric", demo / "rubrics.yaml"),
        *("--judge", "openai:good", "--base-url", judge, "--extractor", "openai:good"),
    )
    typed("commit", tasks, *options, "-o", promise)
    typed("sources", "import", demo / "pages.jsonl", "--snapshots", run)
    more = ("--reference", "heron", "--offline-sources", "--allow-unpriced", "--quiet")
    typed("evaluate", tasks, demo / "reports", *options, *more, "--run", run)
    return run, promise


def honest_of_demo(folder: Path, demo: Path, judge: str, seed: int) -> Honest:
    """Two bundles of one task of the demo each."""
    lines = (demo / "tasks.jsonl").read_text("utf-8").splitlines()
    made = []
    for name, line in (("one", lines[0]), ("two", lines[1])):
        (folder / f"{name}.jsonl").write_text(f"{line}\n", "utf-8")
        made.append(promised_run(folder, demo, folder / f"{name}.jsonl", judge))
    return honest(folder, *zip(*made, strict=True), seed)
