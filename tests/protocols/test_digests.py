"""The digest of every question, as it was: answers that were paid for are found under it again."""

import json
from pathlib import Path

from deepassay.protocols.registry import PROTOCOLS, parse

PINNED = Path(__file__).with_name("operation_digests.json")
"""By name, edition's way of reading, language: digests for a judge and for the offline judge.

After a change that is meant to change what is asked or how answers are read, and so makes scores
of before another recipe: write what the test tells here.
"""

OPTIONS = (
    "ace(make=True)",
    "presentation(mechanical=True)",
    "race(vanilla=True)",
    "race(reference=False)",
    "race(cleaning='model')",
    "race_reward(arrangement='together')",
    "fact(statements='model', merging='model')",
    "rubrics(set='drb2')",
)


def digests():
    forms = [
        *((name, edition) for name, kind in PROTOCOLS.items() for edition in kind.editions),
        *((form, "paper") for form in OPTIONS),
        ("race(cleaning='model')", "code"),
        ("rubrics(set='drb2')", "code"),
    ]
    return {
        f"{each.name} {getattr(each.reading, '__qualname__', each.reading)} {language}": [
            each.digest(language), each.digest(language, offline=True)
        ]
        for name, edition in forms
        for protocol in parse(name, edition)
        for each in protocol.operations()
        for language in ("en", "zh")
    }  # fmt: skip


def written(found):
    lines = (f'  "{name}": {json.dumps(found[name])}' for name in sorted(found))
    return "{\n" + ",\n".join(lines) + "\n}\n"


def test_no_digest_has_changed():
    found = digests()
    assert len(found) > 80
    assert found == json.loads(PINNED.read_text("utf-8")), f"{PINNED.name} would be:\n" + written(
        found
    )
