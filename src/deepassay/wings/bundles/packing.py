"""Bundles as files: a ZIP archive of a run, its manifest, a commitment and a signature."""

from __future__ import annotations

import hashlib
import sqlite3
import warnings
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from deepassay.errors import BadInput, BadRunFile, Notice
from deepassay.run.showing.output import check_output, fresh_output
from deepassay.runfile import RunFile
from deepassay.wings.bundles.commitment import Commitment
from deepassay.wings.bundles.manifest import HeldFile, Manifest, boards_of, environment, figures_of
from deepassay.wings.bundles.signing import signed

MANIFEST: Final = "manifest.json"
RUN: Final = "run.assay"
COMMITMENT: Final = "commitment.json"
SIGNATURE: Final = "manifest.json.sig"
NAMES: Final = frozenset({MANIFEST, RUN, COMMITMENT, SIGNATURE})

_CHUNK: Final = 1 << 20
_MOST_BYTES: Final = 16_000_000_000
_MOST_MANIFEST: Final = 64_000_000
"""A commitment to 100,000 tasks, or figures of 100,000 agents, are smaller."""


@dataclass(frozen=True)
class Bundle:
    """An open bundle. run: its run file, as long as the bundle is open.

    text: the bytes of the manifest, which the signature covers. damage: files that are not what
    the manifest says, a sentence each.
    """

    manifest: Manifest
    text: bytes
    run: Path
    commitment: Commitment | None
    signature: bytes | None
    damage: tuple[str, ...]


def write_bundle(
    run: Path,
    output: Path,
    *,
    title: str = "",
    note: str = "",
    commitment: Path | None = None,
    key: Path | None = None,
    force: bool = False,
) -> Manifest:
    """Pack a run; made twice, the bytes are equal as long as the environment is.

    key: a private key of SSH to sign with. In what the run is not what was promised is said, and
    stays for `verify` to say. Raises BadInput where something cannot be read, and BadSetting where
    it cannot be written or signed.
    """
    check_output(output, [run], force=force)
    promised = None if commitment is None else Commitment.of_file(commitment)
    with TemporaryDirectory(prefix="deepassay-") as scratch:
        copy = Path(scratch) / RUN
        _copy(run, copy)
        if promised is not None:
            _tell_broken(promised, commitment, copy)
        texts = {} if promised is None else {COMMITMENT: promised.to_json().encode()}
        manifest = Manifest(
            title=title or run.stem,
            note=note,
            environment=environment(),
            files={
                RUN: HeldFile(sha256=_sha256(copy), bytes=copy.stat().st_size),
                **{name: _held(text) for name, text in texts.items()},
            },
            commitment=promised.digest if promised else None,
            figures=figures_of(boards_of(copy)),
        )
        texts[MANIFEST] = manifest.to_json().encode()
        if key is not None:
            texts[SIGNATURE] = signed(texts[MANIFEST], key)
        with (
            fresh_output(output) as fresh,
            zipfile.ZipFile(fresh, "w", zipfile.ZIP_DEFLATED) as packed,
        ):
            for name in sorted(texts):
                packed.writestr(zipfile.ZipInfo(name), texts[name], zipfile.ZIP_DEFLATED)
            with copy.open("rb") as source, packed.open(_entry(RUN), "w", force_zip64=True) as sink:
                while chunk := source.read(_CHUNK):
                    sink.write(chunk)
    return manifest


def _tell_broken(promised: Commitment, given: Path | None, copy: Path) -> None:
    with RunFile.read(copy) as file:
        broken = [*promised.broken(file)]
    if broken:
        told = " ".join(broken)
        warnings.warn(
            Notice(f"The run is not what {given} promises, and `verify` will say so: {told}"),
            stacklevel=3,
        )


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name)  # of 1980: the time of packing says nothing
    entry.compress_type = zipfile.ZIP_DEFLATED
    return entry


def _copy(run: Path, copy: Path) -> None:
    """A copy of a run file as it is at one moment, also while it is being written."""
    with RunFile.read(run) as file:
        if not file.protocols():
            raise BadRunFile(f"{run} holds no outcomes yet.", "Run `deepassay evaluate` first.")
    with closing(sqlite3.connect(f"{run.resolve().as_uri()}?mode=ro", uri=True)) as db:
        db.execute("VACUUM INTO ?", [str(copy)])


def _held(text: bytes) -> HeldFile:
    return HeldFile(sha256=hashlib.sha256(text).hexdigest(), bytes=len(text))


def _sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


@contextmanager
def opened_bundle(path: Path) -> Iterator[Bundle]:
    """A bundle, as long as the context lasts. Raises BadInput for what is none."""
    try:
        with zipfile.ZipFile(path) as packed, TemporaryDirectory(prefix="deepassay-") as scratch:
            yield _opened(path, packed, Path(scratch) / RUN)
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, zlib.error, EOFError) as error:
        raise _bad(path, f"it cannot be unpacked ({error})") from error
    except OSError as error:
        raise _bad(path, error.strerror or str(error)) from error


def _bad(path: Path, problem: str) -> BadInput:
    return BadInput(
        f"{path} is no bundle that can be checked: {problem}.",
        "Ask whoever made it for another copy; `deepassay bundle` writes such files.",
    )


def _opened(path: Path, packed: zipfile.ZipFile, run: Path) -> Bundle:
    entries = {each.filename: each for each in packed.infolist()}
    if len(entries) != len(packed.infolist()):
        raise _bad(path, "a file is in it twice")
    if foreign := sorted(entries.keys() - NAMES):
        raise _bad(path, f"it holds {foreign[0]!r}, which no bundle has")
    if MANIFEST not in entries or RUN not in entries:
        raise _bad(path, f"it lacks {MANIFEST} or {RUN}")
    text = _small(path, packed, entries[MANIFEST])
    manifest = Manifest.read(text.decode("utf-8", "replace"), f"{MANIFEST} in {path}")
    damage = []
    found = {RUN: _unpacked(path, packed, entries[RUN], run)}
    commitment = None
    if COMMITMENT in entries:
        promised = _small(path, packed, entries[COMMITMENT])
        found[COMMITMENT] = _held(promised)
        place = f"{COMMITMENT} in {path}"
        commitment = Commitment.read(promised.decode("utf-8", "replace"), place)
        if commitment.digest != manifest.commitment:
            damage.append("The manifest names another commitment than the one beside it.")
    for name in sorted(found.keys() | manifest.files.keys()):
        if name not in found:
            damage.append(f"{name} was taken out.")
        elif found[name] != manifest.files.get(name):
            damage.append(f"{name} is not the file that the manifest names.")
    signature = _small(path, packed, entries[SIGNATURE]) if SIGNATURE in entries else None
    return Bundle(manifest, text, run, commitment, signature, tuple(damage))


def _small(path: Path, packed: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    with packed.open(entry) as source:
        text = source.read(_MOST_MANIFEST + 1)
    if len(text) > _MOST_MANIFEST:
        raise _bad(path, f"{entry.filename} is larger than {_MOST_MANIFEST:,} bytes")
    return text


def _unpacked(
    path: Path, packed: zipfile.ZipFile, entry: zipfile.ZipInfo, target: Path
) -> HeldFile:
    sha256 = hashlib.sha256()
    size = 0
    with packed.open(entry) as source, target.open("wb") as sink:
        while chunk := source.read(_CHUNK):
            size += len(chunk)
            if size > _MOST_BYTES:
                raise _bad(path, f"{entry.filename} is larger than {_MOST_BYTES:,} bytes")
            sha256.update(chunk)
            sink.write(chunk)
    return HeldFile(sha256=sha256.hexdigest(), bytes=size)
