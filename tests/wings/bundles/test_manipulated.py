"""Whatever is changed in a bundle is found and named, or changes nothing that it says.

`python -m benchmarks.bundles` makes a thousand of these manipulations.
"""

import json
import re
import shutil
import struct
import zipfile
from io import BytesIO

import pytest

from deepassay.wings.bundles.packing import MANIFEST, NAMES, opened_bundle
from tests.judging import verdicts
from tests.loopback import FakeJudge
from tests.wings.bundles.honest import Manipulation, fitted, honest_of_demo, zipped
from tests.wings.bundles.manipulating import KINDS


@pytest.fixture(scope="module")
def by(repository, tmp_path_factory):
    """A bundle by five protocols and a judge, signed and promised, and what belongs to it."""
    if shutil.which("ssh-keygen") is None:
        pytest.skip("OpenSSH is not there")
    with FakeJudge(verdicts) as judge:
        folder = tmp_path_factory.mktemp("honest")
        return honest_of_demo(folder, repository / "examples" / "demo", judge.base_url, seed=1)


def told(by, bundle):
    return by.problems(Manipulation("", bundle, ""))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_manipulation_is_found_and_named(by, kind):
    for _ in range(KINDS[kind] // 50 + 1):
        done = kind(by)
        problems = by.problems(done)
        assert any(re.search(done.says, each) for each in problems), (done.what, problems)


def test_a_bundle_cut_short_or_replaced_is_none(by):
    whole = zipped(by.files)
    for text in (b"", b"PK", whole[: len(whole) // 2], whole[:-1], b"{}" * 50):
        assert told(by, text)


def test_last_bits_of_floats_are_no_difference(by):
    figures = json.loads(by.files[MANIFEST])["figures"]
    figures[0]["mean"] *= 1 + 2**-50
    assert not told(by, fitted(by.files, figures=figures))


def test_a_bomb_and_a_locked_archive_are_refused(by):
    assert "larger than" in told(by, zipped({**by.files, MANIFEST: b" " * 70_000_000}))[0]
    packed = zipped(by.files)
    locked = bytearray(packed)
    with zipfile.ZipFile(BytesIO(packed)) as whole:
        for each in whole.infolist():
            struct.pack_into("<H", locked, each.header_offset + 6, each.flag_bits | 1)
    start = locked.rfind(b"PK\x05\x06")
    place = struct.unpack_from("<I", locked, start + 16)[0]
    while locked[place : place + 4] == b"PK\x01\x02":
        struct.pack_into("<H", locked, place + 8, 1)
        place += 46 + sum(struct.unpack_from("<HHH", locked, place + 28))
    assert "cannot be unpacked" in told(by, bytes(locked))[0]


def test_hostile_manifests_are_told_and_never_a_traceback(by):
    for text in (b"", b"[]", b"\xff\xfe", b'{"kind": "deepassay bundle"}', b"[" * 100_000):
        assert told(by, zipped({**by.files, MANIFEST: text}))
    (by.folder / "x.zip").write_bytes(zipped(by.files))
    with opened_bundle(by.folder / "x.zip") as bundle:
        assert {MANIFEST, *bundle.manifest.files} <= NAMES


def test_damage_within_is_named_by_its_row_and_not_by_a_file_of_ours(by):
    files = dict(by.files)
    with by.edited(files, sealed=False) as db:
        db.execute("UPDATE outcomes SET recipe='none' WHERE agent='heron'")
    problems = told(by, fitted(files))
    assert problems and all(each.startswith("Damaged: outcomes: ") for each in problems)
