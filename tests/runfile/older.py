"""Run files as versions before the ninth made them: an outcome is one body."""

import re
import sqlite3
from contextlib import closing

from deepassay.runfile import RunFile
from deepassay.runfile.rows import Bodies
from deepassay.runfile.schema import STEPS
from deepassay.runfile.seals import keep_seals

SEVEN = 7


def put_in_bodies(path):
    """Make a file of today one of version 7, which has nothing of later tables but outcomes."""
    with RunFile.read(path) as run:
        kept = [*run.scores()]
    bodies = Bodies(path)
    with closing(sqlite3.connect(path)) as db:
        keep_seals(db)
        for each in kept:
            place = (each.key, *each.place)
            row = (*place, each.end.cause, each.end.mark, *bodies.pack(vars(each)))
            db.execute("INSERT INTO scores VALUES(?,?,?,?,?,?,?,?,?,?)", row)
        later = re.findall(r"CREATE TABLE (\w+)", "".join(STEPS[SEVEN:]))
        for table in later:
            db.execute(f"DELETE FROM {table}")
        db.commit()
    with closing(sqlite3.connect(path)) as db:
        for table in later:
            db.execute(f"DROP TABLE {table}")
        db.execute(f"PRAGMA user_version={SEVEN}")
        db.commit()
