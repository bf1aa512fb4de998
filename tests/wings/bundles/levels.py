"""Manipulations for which all digests are made anew but one.

Digests lie in levels: of a body, of its row, of the outcomes that come out of it, of the figures,
of the files, and over them the signature and the promise.
"""

from __future__ import annotations

import json
import random
import re
import sqlite3
from collections.abc import Callable
from typing import Any

from deepassay.runfile.rows import Bodies
from deepassay.wings.bundles.packing import COMMITMENT, MANIFEST, RUN, SIGNATURE
from tests.wings.bundles.honest import Honest, Manipulation, fitted, unsigned, zipped


def _body(by: Honest, db: sqlite3.Connection, table: str) -> tuple[int, Any, Bodies]:
    """A row of a table, and what its body holds."""
    bodies = Bodies(by.folder / "edited.assay")
    row, body, sha256 = db.execute(
        f"SELECT rowid, body, sha256 FROM {table} WHERE body IS NOT NULL ORDER BY random() LIMIT 1"
    ).fetchone()
    return row, bodies.unpack("a row", body, sha256), bodies


def _told_otherwise(value: Any, chance: random.Random) -> Any:
    """JSON in which one figure or one letter is another."""
    text = json.dumps(value, ensure_ascii=False)
    places = [
        each.start() for each in re.finditer(r"(?<![\\\w])\d|(?<=[a-z])[a-z](?=[a-z ])", text)
    ]
    at = chance.choice(places)
    new = str((int(text[at]) + 1) % 10) if text[at].isdigit() else chr(ord(text[at]) ^ 1)
    return json.loads(f"{text[:at]}{new}{text[at + 1 :]}")


WITH_BODIES = ("tasks", "reports", "answers", "verdicts", "outcomes", "yardsticks")


def all_but_the_digest_of_a_body(by: Honest) -> Manipulation:
    files = dict(by.files)
    table = by.chance.choice(WITH_BODIES)
    with by.edited(files, sealed=True) as db:
        row, value, bodies = _body(by, db, table)
        body, _ = bodies.pack([value, "more"])
        db.execute(f"UPDATE {table} SET body=? WHERE rowid=?", [body, row])
    return Manipulation(f"a body of {table}", fitted(files), f"{table}|cannot be read")


def all_but_the_seal(by: Honest) -> Manipulation:
    files = dict(by.files)
    table = by.chance.choice(WITH_BODIES)
    with by.edited(files, sealed=False) as db:
        row, value, bodies = _body(by, db, table)
        values = [*bodies.pack(_told_otherwise([value, "or so"], by.chance)[0]), row]
        db.execute(f"UPDATE {table} SET body=?, sha256=? WHERE rowid=?", values)
    if files[RUN] == by.files[RUN]:
        return all_but_the_seal(by)
    return Manipulation(f"a row of {table}", fitted(files), f"{table}|cannot be read")


def all_but_the_outcome(by: Honest) -> Manipulation:
    """What outcomes come from is another, or they are; every digest and seal is made anew."""
    files = dict(by.files)
    change = by.chance.choice(CHANGES)
    with by.edited(files, sealed=True) as db:
        what = change(by, db)
    return Manipulation(what, fitted(files), "come out again|names another|promised|cannot be read")


def _answer(by: Honest, db: sqlite3.Connection) -> str:
    """A verdict that a judge gave."""
    while True:
        row, value, bodies = _body(by, db, "answers")
        raw = re.sub(
            r'("score": ?)([01])\b', lambda m: f"{m[1]}{1 - int(m[2])}", value["raw"], count=1
        )
        if raw != value["raw"]:
            break
    values = [*bodies.pack(value | {"raw": raw}), row]
    db.execute("UPDATE answers SET body=?, sha256=? WHERE rowid=?", values)
    return f"an answer to {value['operation']}"


def _report(by: Honest, db: sqlite3.Connection) -> str:
    row, text, bodies = _body(by, db, "reports")
    places = [each.start() for each in re.finditer(r"(?<=[a-z])[a-z](?= )", text)]
    at = by.chance.choice(places)
    values = [*bodies.pack(f"{text[:at]}q{text[at + 1 :]}"), row]
    db.execute("UPDATE reports SET body=?, sha256=? WHERE rowid=?", values)
    return "a letter of a report"


def _task(by: Honest, db: sqlite3.Connection) -> str:
    row, task, bodies = _body(by, db, "tasks")
    values = [*bodies.pack(task | {"prompt": task["prompt"] + " In short."}), row]
    db.execute("UPDATE tasks SET body=?, sha256=? WHERE rowid=?", values)
    return "a task"


def _value(by: Honest, db: sqlite3.Connection) -> str:
    row, value = db.execute(
        "SELECT rowid, value FROM outcomes WHERE value > 0 ORDER BY random() LIMIT 1"
    ).fetchone()
    db.execute("UPDATE outcomes SET value=? WHERE rowid=?", [value * (1 - 2**-52), row])
    return "the last bit of a score"


def _cause(by: Honest, db: sqlite3.Connection) -> str:
    row = db.execute("SELECT rowid FROM outcomes ORDER BY random() LIMIT 1").fetchone()
    sql = "UPDATE outcomes SET value=NULL, cause='timed_out', detail='slow' WHERE rowid=?"
    db.execute(sql, row)
    return "a score said to have failed"


def _exchanged(by: Honest, db: sqlite3.Connection) -> str:
    """Two agents' reports, or their outcomes, under each other's names."""
    table = by.chance.choice(["reports", "outcomes"])
    agents = [name for (name,) in db.execute("SELECT DISTINCT agent FROM reports ORDER BY 1")]
    one, two = by.chance.sample(agents, 2)
    for old, new in ((one, "?"), (two, one), ("?", two)):
        db.execute(f"UPDATE {table} SET agent=? WHERE agent=?", [new, old])
    return f"{table} of two agents exchanged"


def _page(by: Honest, db: sqlite3.Connection) -> str:
    """The text of a page that answers were given about."""
    bodies = Bodies(by.folder / "edited.assay")
    rows = db.execute("SELECT key, body, sha256 FROM verdicts").fetchall()
    page = bodies.unpack("a verdict", *by.chance.choice(rows)[1:])["page"]
    body = db.execute("SELECT body FROM contents WHERE sha256=?", [page]).fetchone()[0]
    text = bodies.unpack_bytes("a page", body, page).decode()
    values = bodies.pack_bytes(text.replace(" ", "  ").replace("  ", " not ", 1).encode())
    db.execute("INSERT INTO contents(body, sha256) VALUES(?, ?)", values)
    db.execute("UPDATE captures SET text=? WHERE text=?", [values[1], page])
    return "the text of a page"


def _verdict(by: Honest, db: sqlite3.Connection) -> str:
    """What was decided of a statement and a page, with the answer that says otherwise left."""
    row, value, bodies = _body(by, db, "verdicts")
    new = "unsupported" if value["verdict"] == "supported" else "supported"
    values = [new, *bodies.pack(value | {"verdict": new}), row]
    db.execute("UPDATE verdicts SET verdict=?, body=?, sha256=? WHERE rowid=?", values)
    return "a verdict on a page"


def _yardstick(by: Honest, db: sqlite3.Connection) -> str:
    bodies = Bodies(by.folder / "edited.assay")
    row, body, sha256 = db.execute(
        "SELECT rowid, body, sha256 FROM yardsticks WHERE role IN ('rubric', 'criteria') "
        "ORDER BY random() LIMIT 1"
    ).fetchone()
    text = bodies.unpack("a yardstick", body, sha256)
    new = re.sub(r'("criterion": ?")', r"\1Never: ", text, count=1)
    assert new != text
    values = [*bodies.pack(new), row]
    db.execute("UPDATE yardsticks SET body=?, sha256=? WHERE rowid=?", values)
    return "a criterion"


def _recipe(by: Honest, db: sqlite3.Connection) -> str:
    """Another judge, or another day, in the recipe: of the protocol, of its scores, of the run."""
    where = by.chance.choice(["protocols", "shared", "day", "metrics"])
    if where == "protocols":
        db.execute("UPDATE protocols SET identity=replace(identity, 'openai:', 'openai:better-')")
    elif where == "shared":
        db.execute("UPDATE shared SET text=replace(text, 'openai:', 'openai:better-')")
    elif where == "day":
        db.execute("UPDATE meta SET value=replace(value, '2026', '2025') WHERE key='configuration'")
    else:
        db.execute("UPDATE meta SET value=replace(value, '100.0', '90.0') WHERE key='metrics'")
    return f"a recipe in {where}"


CHANGES: tuple[Callable[[Honest, sqlite3.Connection], str], ...] = (
    *(_answer, _report, _task, _value, _cause, _exchanged, _page, _verdict, _yardstick, _recipe),
)


def all_but_the_figures(by: Honest) -> Manipulation:
    """Another honest run and its commitment under the figures of this one."""
    manifest, other = json.loads(by.files[MANIFEST]), json.loads(by.other[MANIFEST])
    bundle = fitted({**by.other}, figures=manifest["figures"], commitment=other["commitment"])
    return Manipulation("figures of another run", bundle, " by ")


def all_but_the_digest_of_a_file(by: Honest) -> Manipulation:
    """Everything of another run but what the manifest says of a file."""
    manifest, other = json.loads(by.files[MANIFEST]), json.loads(by.other[MANIFEST])
    name = by.chance.choice([RUN, COMMITMENT])
    mixed = {**other, "files": {**other["files"], name: manifest["files"][name]}}
    files = unsigned({**by.other, MANIFEST: json.dumps(mixed).encode()})
    return Manipulation(f"digest of {name}", zipped(files), f"{name} is not the file")


def all_but_the_signature(by: Honest) -> Manipulation:
    """Words that only the signature covers; or another whole run, with the signature of this."""
    what = by.chance.choice(["title", "note", "environment", "run"])
    manifest = json.loads(by.files[MANIFEST])
    files = dict(by.files)
    if what == "run":
        files = {**by.other, SIGNATURE: by.files[SIGNATURE]}
    elif what == "environment":
        name = by.chance.choice(sorted(manifest[what]))
        manifest[what][name] += ".1"
    else:
        manifest[what] += "!"
    if what != "run":
        files[MANIFEST] = (json.dumps(manifest, indent=2) + "\n").encode()
    return Manipulation(what, zipped(files), "not of this manifest", False)


def all_but_the_promise(by: Honest) -> Manipulation:
    """Another run that is whole, with the commitment of this, or with its own that came later."""
    manifest = json.loads(by.files[MANIFEST])
    figures = json.loads(by.other[MANIFEST])["figures"]
    files = dict(by.other)
    if by.chance.random() < 0.5:
        files[COMMITMENT] = by.files[COMMITMENT]
        bundle = fitted(files, figures=figures, commitment=manifest["commitment"])
        return Manipulation("run of other tasks", bundle, "promised", published=True)
    return Manipulation("later promise", fitted(files), "was published", published=True)
