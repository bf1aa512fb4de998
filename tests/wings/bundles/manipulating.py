"""Bundles manipulated in every way that we could think of, each with what must be said of it."""

from __future__ import annotations

import json
import re
import sqlite3
import subprocess
import warnings
import zipfile
from collections.abc import Callable, Mapping
from io import BytesIO

from deepassay.runfile.seals import KEYS
from deepassay.wings.bundles.commitment import Commitment
from deepassay.wings.bundles.packing import COMMITMENT, MANIFEST, RUN, SIGNATURE
from tests.wings.bundles.honest import (
    Honest,
    Manipulation,
    fitted,
    flipped,
    unsigned,
    unzipped,
    zipped,
)
from tests.wings.bundles.levels import (
    all_but_the_digest_of_a_body,
    all_but_the_digest_of_a_file,
    all_but_the_figures,
    all_but_the_outcome,
    all_but_the_promise,
    all_but_the_seal,
    all_but_the_signature,
)

# ------------------------------------------------------------------ files and bits


def bit_of_the_archive(by: Honest) -> Manipulation:
    """One bit; of those that change what the bundle holds, as names and dates of ZIP do not."""
    whole = zipped(by.files)
    while True:
        torn = bytearray(whole)
        place = by.chance.randrange(len(whole))
        torn[place] ^= 1 << by.chance.randrange(8)
        if unzipped(bytes(torn)) != by.files:
            return Manipulation(f"bit at {place}", bytes(torn), ".", False, True)


def bit_of_a_file(by: Honest) -> Manipulation:
    name = by.chance.choice(sorted(by.files))
    text = bytearray(by.files[name])
    place = by.chance.randrange(len(text))
    text[place] ^= 1 << by.chance.randrange(8)
    says = {SIGNATURE: "signature", MANIFEST: f"signature|{MANIFEST}"}.get(name, re.escape(name))
    if name == COMMITMENT:
        says += "|commitment"
    bundle = zipped({**by.files, name: bytes(text)})
    return Manipulation(f"bit {place} of {name}", bundle, says, False, True)


def file_exchanged(by: Honest) -> Manipulation:
    """A file of another honest bundle of the same signer."""
    name = by.chance.choice(sorted(by.files))
    says = {RUN: RUN, COMMITMENT: "another commitment|commitment.json", SIGNATURE: "signature"}
    says[MANIFEST] = "signature"
    bundle = zipped({**by.files, name: by.other[name]})
    return Manipulation(f"{name} of another bundle", bundle, says[name], False, True)


def file_added_or_gone(by: Honest) -> Manipulation:
    name = by.chance.choice([*sorted(by.files), "../run.assay", "/etc/passwd", "RUN.assay", "a"])
    if name not in by.files:
        return Manipulation(f"{name} added", zipped({**by.files, name: b"x"}), "no bundle has")
    rest = {each: text for each, text in by.files.items() if each != name}
    if by.chance.random() < 0.5 and name != SIGNATURE:
        buffer = BytesIO(zipped(by.files))
        with warnings.catch_warnings(action="ignore"), zipfile.ZipFile(buffer, "a") as packed:
            packed.writestr(name, by.files[name])
        return Manipulation(f"{name} twice", buffer.getvalue(), "twice")
    says = {SIGNATURE: "Nobody signed it", COMMITMENT: "taken out"}.get(name, "it lacks")
    return Manipulation(f"{name} taken out", zipped(rest), says, False, True)


# ------------------------------------------------------------------ rows, with a manifest that fits


def cell_changed(by: Honest) -> Manipulation:
    files = dict(by.files)
    with by.edited(files, sealed=False) as db:
        table = by.chance.choice([each for each in (*KEYS, "seals") if _count(db, each)])
        column = by.chance.choice(_columns(db, table))
        row, value = db.execute(
            f"SELECT rowid, {column} FROM {table} ORDER BY random() LIMIT 1"
        ).fetchone()
        new = flipped(value) if value not in (None, "", b"") else "x"
        db.execute(f"UPDATE {table} SET {column}=? WHERE rowid=?", [new, row])
    says = "Damaged|cannot be read" if table == "seals" else table
    return Manipulation(f"{table}.{column}", fitted(files), says)


def row_gone_added_or_exchanged(by: Honest) -> Manipulation:
    files, alike = dict(by.files), False
    with by.edited(files, sealed=False) as db:
        table = by.chance.choice([each for each in KEYS if _count(db, each)])
        first, *_, last = [key for (key,) in db.execute(f"SELECT rowid FROM {table}")] * 2
        way = by.chance.choice(["gone", "added", "exchanged"])
        bodies = [
            name
            for name in ("body", "sha256")
            if name in _columns(db, table) and name not in _unique(db, table)
        ]
        if way == "exchanged" and first != last and bodies:
            read = f"SELECT {', '.join(bodies)} FROM {table} WHERE rowid=?"
            one, two = (db.execute(read, [key]).fetchone() for key in (first, last))
            put = f"UPDATE {table} SET {', '.join(f'{name}=?' for name in bodies)} WHERE rowid=?"
            for key, values in ((first, two), (last, one)):
                db.execute(put, [*values, key])
            alike = one == two
        elif way == "added":
            key = KEYS[table][0]
            names = _columns(db, table)
            fresh = [f"'new' || {key}" if name in _unique(db, table) else name for name in names]
            if table in ("outcomes", "meta", "protocols", "tasks", "answers", "contents", "shared"):
                db.execute(f"INSERT INTO {table} SELECT {', '.join(fresh)} FROM {table} LIMIT 1")
            else:
                db.execute(f"DELETE FROM {table} WHERE rowid=?", [last])
        else:
            db.execute(f"DELETE FROM {table} WHERE rowid=?", [last])
    if alike:
        return row_gone_added_or_exchanged(by)
    return Manipulation(f"a row of {table} {way}", fitted(files), table)


def _count(db: sqlite3.Connection, table: str) -> int:
    return int(db.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


def _columns(db: sqlite3.Connection, table: str) -> list[str]:
    return [name for _, name, *_ in db.execute(f"PRAGMA table_info({table})")]


def _unique(db: sqlite3.Connection, table: str) -> set[str]:
    """Columns that no two rows may share."""
    return {
        name
        for _, index, unique, *_ in db.execute(f"PRAGMA index_list({table})")
        if unique
        for _, _, name in db.execute(f"PRAGMA index_info({index})")
    }


# ------------------------------------------------------------------ figures, signature, promise


def figure_changed(by: Honest) -> Manipulation:
    manifest = json.loads(by.files[MANIFEST])
    row = by.chance.choice(manifest["figures"])
    name = by.chance.choice([key for key, value in row.items() if value not in (None, {})])
    old = row[name]
    if isinstance(old, bool):
        row[name] = not old
    elif isinstance(old, (int, float)):
        row[name] = old + by.chance.choice([-1, 1]) * (1 if isinstance(old, int) else 1e-6)
    elif isinstance(old, dict):
        row[name] = {}
    elif isinstance(old, list) and not isinstance(old[0], str):
        row[name] = [old[0], (old[1] or 0) + 1e-6]
    else:
        row[name] = "crane" if isinstance(old, str) else ["0123456789ab"]
    return Manipulation(f"figure {name}", fitted(by.files, figures=manifest["figures"]), " by ")


def figures_gone_doubled_or_made_up(by: Honest) -> Manipulation:
    figures = json.loads(by.files[MANIFEST])["figures"]
    way = by.chance.choice(["gone", "twice", "made up"])
    row = by.chance.choice(figures)
    if way == "gone":
        figures.remove(row)
    else:
        new = {**row, "agent": "crane"} if way == "made up" else {**row, "mean": 99.0}
        figures.insert(by.chance.randrange(len(figures)), new)
    return Manipulation(f"figures {way}", fitted(by.files, figures=figures), " by ")


def signature_of_others(by: Honest) -> Manipulation:
    """Cut, of another key, for another purpose, of another manifest, or none."""
    way = by.chance.choice(["cut", "key", "purpose", "manifest", "none"])
    files = dict(by.files)
    says = "not of this manifest"
    if way == "cut":
        files[SIGNATURE] = files[SIGNATURE][: by.chance.randrange(len(files[SIGNATURE]) - 40)]
    elif way == "none":
        files, says = unsigned(files), "Nobody signed it"
    elif way == "manifest":
        files[SIGNATURE] = by.other[SIGNATURE]
    else:
        key, purpose = ("foreign", "bundle@deepassay") if way == "key" else ("key", "file")
        files[SIGNATURE] = subprocess.run(
            ["ssh-keygen", "-Y", "sign", "-f", by.folder / key, "-n", purpose],
            input=files[MANIFEST], capture_output=True, check=True,
        ).stdout  # fmt: skip
        says = "does not name" if way == "key" else says
    return Manipulation(f"signature: {way}", zipped(files), says, False)


def promise_changed(by: Honest) -> Manipulation:
    """A task, a protocol or the day of a commitment; its digest in the manifest is made anew."""
    kept = json.loads(by.files[COMMITMENT])
    what = by.chance.choice(["day", "task", "protocol", "fewer", "none"])
    files = dict(by.files)
    if what == "none":
        del files[COMMITMENT]
        bundle = fitted(files, commitment=None)
        return Manipulation("promise: none", bundle, "holds no commitment", published=True)
    if what == "day":
        kept["made"] = f"2020-01-{by.chance.randrange(10, 29)}"
    elif what == "task":
        task = by.chance.choice(sorted(kept["tasks"]))
        kept["tasks"][task]["task"] = flipped(kept["tasks"][task]["task"])
    elif what == "fewer":
        del kept["tasks"][by.chance.choice(sorted(kept["tasks"]))]
    else:
        kept["protocols"][by.chance.choice(sorted(kept["protocols"]))]["repeats"] = 7
    files[COMMITMENT] = json.dumps(kept).encode()
    fresh = Commitment.read(files[COMMITMENT].decode(), COMMITMENT).digest
    says = "was published" if what == "day" else "promised"
    return Manipulation(f"promise: {what}", fitted(files, commitment=fresh), says, published=True)


KINDS: Mapping[Callable[[Honest], Manipulation], int] = {
    bit_of_the_archive: 150,
    bit_of_a_file: 100,
    file_exchanged: 30,
    file_added_or_gone: 40,
    cell_changed: 170,
    row_gone_added_or_exchanged: 80,
    all_but_the_digest_of_a_body: 30,
    all_but_the_seal: 30,
    all_but_the_outcome: 120,
    all_but_the_figures: 10,
    all_but_the_digest_of_a_file: 10,
    all_but_the_signature: 40,
    all_but_the_promise: 20,
    figure_changed: 70,
    figures_gone_doubled_or_made_up: 30,
    signature_of_others: 30,
    promise_changed: 40,
}
"""Every way to manipulate a bundle, and how many of a thousand are of it."""
