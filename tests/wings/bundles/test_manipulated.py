"""Whatever is changed in a bundle is found and named, or changes nothing that it says."""

import hashlib
import json
import random
import shutil
import sqlite3
import struct
import sys
import zipfile
from contextlib import closing

import pytest

from deepassay.cli import main
from deepassay.errors import BadInput
from deepassay.wings.bundles.manifest import HeldFile, Manifest
from deepassay.wings.bundles.packing import COMMITMENT, MANIFEST, NAMES, RUN, opened, write_bundle
from deepassay.wings.bundles.verifying import verify
from tests.cli.test_replay_proof import flipped

FLIPS = 150


@pytest.fixture(scope="module")
def packed(repository, tmp_path_factory):
    """A bundle of two tasks by two protocols, with a commitment."""
    folder = tmp_path_factory.mktemp("packed")
    demo = repository / "examples" / "demo"
    protocols = ("--protocol", "coverage", "--protocol", "presentation")
    evaluate = (demo / "tasks.jsonl", demo / "reports", *protocols, "--run", folder / "r")
    for words in (
        ("evaluate", *evaluate, "--limit", "2"),
        ("commit", demo / "tasks.jsonl", *protocols, "--limit", "2", "-o", folder / "c.json"),
    ):
        with pytest.MonkeyPatch.context() as patch, pytest.raises(SystemExit) as end:
            patch.setattr(sys, "argv", ["deepassay", *map(str, words)])
            main()
        assert not end.value.code
    path = folder / "x.assay.zip"
    write_bundle(folder / "r", path, commitment=folder / "c.json")
    assert verify(path).holds
    return path


def contents(path):
    with zipfile.ZipFile(path) as packed:
        return {name: packed.read(name) for name in packed.namelist()}


def packed_anew(files, target):
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, text in files.items():
            packed.writestr(name, text)
    return target


def named(path):
    """What is said against a bundle."""
    try:
        return verify(path).problems
    except BadInput as error:
        assert error.remedy
        return (error.problem,)


def test_any_flipped_bit_is_named_or_changes_no_content(packed, tmp_path):
    whole, own = packed.read_bytes(), contents(packed)
    chance = random.Random(1)
    target = tmp_path / "y.zip"
    unchanged = 0
    for place in chance.sample(range(len(whole)), FLIPS):
        torn = bytearray(whole)
        torn[place] ^= 1 << chance.randrange(8)
        target.write_bytes(torn)
        if not named(target):
            assert contents(target) == own, place
            unchanged += 1
    assert unchanged < FLIPS / 10


def test_a_bundle_cut_short_or_replaced_is_none(packed, tmp_path):
    whole = packed.read_bytes()
    target = tmp_path / "y.zip"
    for text in (b"", b"PK", whole[: len(whole) // 2], whole[:-1], b"{}" * 50):
        target.write_bytes(text)
        assert named(target)


def with_manifest(files, change):
    """The files with another manifest. change: what is done to its JSON."""
    manifest = json.loads(files[MANIFEST])
    change(manifest)
    return {**files, MANIFEST: json.dumps(manifest).encode()}


@pytest.mark.parametrize("field", ["mean", "interval", "bounds", "scored", "expected", "agent"])
def test_every_claimed_figure_is_computed_again(packed, tmp_path, field):
    def change(manifest):
        row = manifest["figures"][0]
        old = row[field]
        row[field] = {
            str: lambda: "crane", int: lambda: old + 1, float: lambda: old * 1.000001,
            list: lambda: [old[0], old[1] + 1e-5],
        }[type(old)]()  # fmt: skip

    told = named(packed_anew(with_manifest(contents(packed), change), tmp_path / "y.zip"))
    assert told and any("by coverage" in each or "by presentation" in each for each in told)


def test_figures_left_out_or_made_up_are_named(packed, tmp_path):
    for change, said in (
        (lambda manifest: manifest["figures"].pop(), "left out of the figures"),
        (
            lambda manifest: manifest["figures"].append(
                {**manifest["figures"][0], "agent": "crane"}
            ),
            "crane by coverage: the run gives no such figures",
        ),
    ):
        told = named(packed_anew(with_manifest(contents(packed), change), tmp_path / "y.zip"))
        assert any(said in each for each in told), told


def test_last_bits_of_floats_are_no_difference(packed, tmp_path):
    def change(manifest):
        manifest["figures"][0]["mean"] *= 1 + 2**-50

    assert not named(packed_anew(with_manifest(contents(packed), change), tmp_path / "y.zip"))


def test_files_may_not_be_added_taken_out_doubled_or_exchanged(packed, tmp_path):
    files = contents(packed)
    target = tmp_path / "y.zip"
    for name in sorted(files):
        assert named(packed_anew({k: v for k, v in files.items() if k != name}, target))
        if name != MANIFEST:  # a blank behind JSON says nothing else; a signature would cover it
            assert named(packed_anew({**files, name: files[name] + b" "}, target))
    for name in ("../run.assay", "/etc/passwd", "more.txt", "RUN.assay"):
        assert "no bundle has" in named(packed_anew({**files, name: b"x"}, target))[0]
    with pytest.warns(UserWarning), zipfile.ZipFile(packed_anew(files, target), "a") as twice:
        twice.writestr(RUN, files[RUN])
    assert "twice" in named(target)[0]
    other = json.loads(files[COMMITMENT]) | {"made": "2020-01-01"}
    forged = {**files, COMMITMENT: json.dumps(other).encode()}
    assert any("another commitment" in each for each in named(packed_anew(forged, target)))


def test_a_changed_row_is_named_although_the_manifest_was_made_anew(packed, tmp_path, subtests):
    files = contents(packed)
    run = tmp_path / "run.assay"
    run.write_bytes(files[RUN])
    with closing(sqlite3.connect(run)) as db:
        tables = [
            name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type='table'")
        ]
        places = [
            (table, column[1])
            for table in tables
            if db.execute(f"SELECT 1 FROM {table}").fetchone()
            for column in db.execute(f"PRAGMA table_info({table})").fetchall()
        ]
    assert len(places) > 50
    for table, column in places:
        changed = shutil.copy(run, tmp_path / "changed.assay")
        with closing(sqlite3.connect(changed)) as db:
            row, value = db.execute(
                f"SELECT rowid, {column} FROM {table} ORDER BY {column} IS NULL, rowid LIMIT 1"
            ).fetchone()
            new = flipped(value) if value not in (None, "") else "x"
            db.execute(f"UPDATE {table} SET {column}=? WHERE rowid=?", [new, row])
            db.commit()
        text = (tmp_path / "changed.assay").read_bytes()

        def fit(manifest, text=text):
            held = HeldFile(sha256=hashlib.sha256(text).hexdigest(), bytes=len(text))
            manifest["files"][RUN] = held.model_dump()

        forged = with_manifest({**files, RUN: text}, fit)
        with subtests.test(f"{table}.{column}"):
            assert named(packed_anew(forged, tmp_path / "y.zip"))


def test_a_bomb_and_a_locked_archive_are_refused(packed, tmp_path):
    files = contents(packed)
    bomb = packed_anew({**files, MANIFEST: b" " * 70_000_000}, tmp_path / "y.zip")
    assert "larger than" in named(bomb)[0]
    locked = bytearray(packed.read_bytes())
    with zipfile.ZipFile(packed) as whole:
        for each in whole.infolist():
            struct.pack_into("<H", locked, each.header_offset + 6, each.flag_bits | 1)
    start = locked.rfind(b"PK\x05\x06")
    place = struct.unpack_from("<I", locked, start + 16)[0]
    while locked[place : place + 4] == b"PK\x01\x02":
        struct.pack_into("<H", locked, place + 8, 1)
        place += 46 + sum(struct.unpack_from("<HHH", locked, place + 28))
    (tmp_path / "z.zip").write_bytes(locked)
    assert "cannot be unpacked" in named(tmp_path / "z.zip")[0]


def test_hostile_manifests_are_told_and_never_a_traceback(packed, tmp_path):
    files = contents(packed)
    for text in (b"", b"[]", b"\xff\xfe", b'{"kind": "deepassay bundle"}', b"[" * 100_000):
        assert named(packed_anew({**files, MANIFEST: text}, tmp_path / "y.zip"))
    with opened(packed) as bundle:
        assert isinstance(bundle.manifest, Manifest)
        assert {MANIFEST, *bundle.manifest.files} <= NAMES
