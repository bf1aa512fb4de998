import pytest

from deepassay.errors import BadInput
from deepassay.results.overview import Profile
from deepassay.run.boards import read_profiles

CSV = "agent,family,collected\nheron,multi-agent,2026-05-04\nwren,single agent,\n"
YAML = """\
- {agent: heron, family: multi-agent, collected: 2026-05-04}
- {agent: wren, family: single agent}
"""
LINES = (
    '{"agent": "heron", "family": "multi-agent", "collected": "2026-05-04"}\n'
    '{"agent": "wren", "family": "single agent"}\n'
)


@pytest.mark.parametrize(("name", "text"), [("a.csv", CSV), ("a.yaml", YAML), ("a.jsonl", LINES)])
def test_three_kinds_of_file_say_the_same(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    assert list(read_profiles(tmp_path / name).values()) == [
        Profile("heron", "multi-agent", "2026-05-04"),
        Profile("wren", "single agent"),
    ]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            "agent,family\nheron,x\nheron,y\n",
            "line 3: the agent 'heron' stands there for the second",
        ),
        ("agent,familie\nheron,x\n", "line 2: there is no field 'familie'"),
        ("agent,family\nheron,\n", "line 2: the field 'family' is missing or empty"),
        ("family\nx\n", "line 2: the field 'agent' is missing or empty"),
        ("agent,family\n", "names no agent"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(tmp_path, text, says):
    (tmp_path / "a.csv").write_text(text)
    with pytest.raises(BadInput, match=says):
        read_profiles(tmp_path / "a.csv")


def test_a_file_that_is_not_there_is_told(tmp_path):
    for name in ("a.csv", "a.yaml"):
        with pytest.raises(BadInput, match="cannot be read"):
            read_profiles(tmp_path / name)
