"""Files: whole or not at all, decoded or refused with advice, JSON Lines, YAML within bounds."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepassay.files import (
    MOST_VALUES,
    BadFile,
    add_yaml_entries,
    as_json_lines,
    decode_text,
    json_lines,
    read_yaml,
    read_yaml_entries,
    replacing,
    without_surrogates,
    write_whole,
)

# ------------------------------------------------------------------ writing


def test_a_file_is_as_before_where_its_writing_fails(tmp_path):
    path = tmp_path / "f.txt"
    write_whole(path, "before")
    with pytest.raises(RuntimeError), replacing(path) as fresh:
        fresh.write_text("half")
        raise RuntimeError
    assert path.read_text() == "before"
    assert [each.name for each in tmp_path.iterdir()] == ["f.txt"]


@pytest.mark.parametrize("durable", [True, False])
def test_a_link_stays_a_link_and_rights_stay(tmp_path, durable):
    path, link = tmp_path / "f.txt", tmp_path / "link"
    path.write_text("before")
    path.chmod(0o640)
    link.symlink_to(path)
    write_whole(link, b"after", durable=durable)
    assert link.is_symlink()
    assert path.read_text() == "after"
    assert path.stat().st_mode & 0o777 == 0o640
    assert sorted(each.name for each in tmp_path.iterdir()) == ["f.txt", "link"]


# ------------------------------------------------------------------ text


@given(st.text(st.characters()))
def test_what_is_left_without_surrogates_can_be_written(text):
    cleaned = without_surrogates(text)
    assert cleaned.encode().decode() == cleaned
    if not any("\ud800" <= each <= "\udfff" for each in text):
        assert cleaned == text


def test_half_a_character_is_replaced_and_two_halves_become_one():
    assert without_surrogates("a\ud83d b") == "a\ufffd b"
    assert without_surrogates("\ud83d\ude00") == "😀"


LATIN = "Die Gründung der Küstenstation, wie sie im Jahr 1911 geschah.\n"
CHINESE = "防波堤上的验潮仪在一九九四年以前每小时读数一次。\n"


@pytest.mark.parametrize(
    ("raw", "advice"),
    [
        (LATIN.encode("latin-1"), "iconv -f WINDOWS-1252 -t UTF-8"),
        (LATIN.encode("utf-16"), "iconv -f UTF-16 -t UTF-8"),
        (LATIN.encode("utf-16-le"), "iconv -f UTF-16 -t UTF-8"),
        (CHINESE.encode("gb18030"), "with iconv from the encoding that it has"),
        (LATIN.encode("latin-1") + b"\x81\n", "with iconv from the encoding that it has"),
        ("防波堤上的潮汐\n".encode("big5"), "with iconv from the encoding that it has"),
    ],
)
def test_another_encoding_is_refused_with_advice_that_does_no_harm(raw, advice):
    with pytest.raises(BadFile) as caught:
        decode_text(raw)
    assert advice in caught.value.remedy
    assert "GB18030" not in caught.value.remedy
    assert caught.value.line == 1


def test_the_line_of_the_first_byte_that_is_not_utf_8_is_named():
    with pytest.raises(BadFile, match=r"byte 8 of the file is 0xfc") as caught:
        decode_text(b"one\ntwo\xfc\n")
    assert caught.value.line == 2
    assert caught.value.at("f.md") == "f.md, line 2"


# ------------------------------------------------------------------ JSON Lines


def test_lines_are_numbered_and_blank_ones_skipped():
    text = '\ufeff{"a": 1}\n\n{"b": "\u2028"}\r\n'
    assert list(json_lines(text)) == [(1, {"a": 1}), (3, {"b": "\u2028"})]
    assert list(json_lines(as_json_lines([{"é": [1]}, {}]))) == [(1, {"é": [1]}), (2, {})]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "not JSON: Expecting property name"),
        ("[1]", "a JSON list, not an object"),
        ("null", "a JSON null, not an object"),
        ('{"a": 1, "a": 2}', "the key 'a' stands there twice"),
        ('{"a": {"b": 1, "b": 2}}', "the key 'b' stands there twice"),
        ('{"a": ' + "[" * 100_000, "nested too deep"),
        ("9" * 5000, "not JSON"),
    ],
)
def test_a_line_that_is_no_object_is_refused_with_its_number(line, said):
    with pytest.raises(BadFile) as caught:
        list(json_lines(f"{{}}\n{line}\n"))
    assert said in caught.value.problem
    assert caught.value.line == 2


# ------------------------------------------------------------------ YAML


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("- id: 1\n  prompt: [x\n", 3, "not YAML"),
        ("- id: 1\n  id: 2\n", 2, "the key 'id' stands there twice"),
        ("- a:\n    - {b: 1, b: 2}\n", 2, "the key 'b' stands there twice"),
        ("- id: 1\n---\n- id: 2\n", 2, "not YAML"),
        ("- id: 1\n- id: 2026-02-30\n", 2, "no such value"),
        ("- id: !!python/object:os.system x\n", 1, "not YAML"),
        ("- id: *nobody\n", 1, "not YAML"),
        ("- &a [*a]\n", 1, "an alias stands for what it is a part of"),
        ("- id: \x01\n", None, "not YAML"),
        ("- " * 1_000_000, 1, "nested too deep"),
        ("[" * 1_000_000, 1, "nested too deep"),
        ("id: 1\n", 1, "is not a list"),
        ("- id: 1\n- 2\n", 2, "is not a mapping"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_yaml_that_cannot_be_used_is_refused_with_its_line(text, line, said):
    with pytest.raises(BadFile) as caught:
        read_yaml_entries(text)
    assert said in caught.value.problem
    assert caught.value.line == line
    assert caught.value.remedy


@pytest.mark.parametrize("merge", ["x: [*a{0}, *a{0}]", "<<: [*a{0}, *a{0}], x{0}: 1"])
def test_aliases_that_grow_without_measure_are_refused(merge):
    lines = ["- &a0 {id: 1}"]
    lines += [f"- &a{n} {{{merge.format(n - 1)}}}" for n in range(1, 60)]
    with pytest.raises(BadFile, match="too large"):
        read_yaml("\n".join(lines))


def test_a_long_list_is_no_growth():
    text = "- &a {id: 1}\n" + "- *a\n" * 20_000
    assert len(read_yaml(text)) == 20_001 < MOST_VALUES


def test_a_merge_key_takes_one_alias_or_a_list_of_them():
    text = "a: &a {x: 1, y: 1}\nb: &b {y: 2}\none: {<<: *b, z: 3}\nboth: {<<: [*a, *b], z: 3}\n"
    found = read_yaml(text)
    assert found["one"] == {"y": 2, "z": 3}
    assert found["both"] == {"x": 1, "y": 1, "z": 3}  # of two that have a key, the first


def test_yaml_holds_values_and_lines():
    text = "# head\n- id: 1\n  a:\n    - b: yes\n      c: 1.5\n"
    (entry,) = read_yaml_entries(text)
    assert entry.fields == {"id": 1, "a": [{"b": "yes", "c": 1.5}]}
    ways = {
        (): 2,
        ("a",): 3,
        ("a", 1): 3,
        ("a", 0, "c"): 5,
        ("a", 0, "d"): 4,
        ("d",): 2,
        ("id", "x"): 2,
    }
    assert {way: entry.line_of(way) for way in ways} == ways
    assert read_yaml(text) == [entry.fields]
    assert read_yaml("# nothing\n") is None
    assert read_yaml_entries("") == []


def test_a_list_is_not_read_twice_in_a_row_and_what_is_changed_of_it_is_no_part_of_the_next():
    text = "- id: 1\n  a: [{b: 1}]\n"
    (entry,) = read_yaml_entries(text)
    entry.fields["a"][0]["b"] = entry.fields["id"] = 2
    (again,) = read_yaml_entries(text)
    assert again.fields == {"id": 1, "a": [{"b": 1}]} and again.node is entry.node
    (long,), (anew,) = (read_yaml_entries(text + "#" * 100_000) for _ in range(2))
    assert long.fields == again.fields and long.node is not anew.node


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda below: (
        st.lists(below, max_size=3) | st.dictionaries(st.text("abé要 :#-"), below, max_size=3)
    ),
    max_leaves=8,
)


@given(st.lists(st.dictionaries(st.text("abé要 :#-"), values, max_size=3), max_size=3))
def test_entries_that_are_added_are_read_back(entries):
    text = "# remark\n- id: 1 # first\n"
    longer = add_yaml_entries(text, entries)
    assert longer.startswith(text)
    assert read_yaml(longer) == [{"id": 1}, *json.loads(json.dumps(entries))]


def test_blanks_at_the_end_of_a_line_that_is_folded_come_back():
    entries = [{"id": "a", "p": f"{'word ' * n}(recombinant)  that"} for n in range(12, 24)]
    assert read_yaml(add_yaml_entries("", entries)) == entries


lines = st.text(st.sampled_from("a要é :#-|>'\"\\\t\r\x00\u2028") | st.characters(), max_size=5)


@given(st.lists(lines, min_size=1, max_size=5).map("\n".join))
def test_texts_with_several_lines_come_back(text):
    entries = [{"id": 1, "t": text, "l": [{"t": text}]}, {"id": 2}]
    assert read_yaml(add_yaml_entries("- id: 0\n", entries)) == [{"id": 0}, *entries]


@pytest.mark.parametrize("end", ["", "\n"])
def test_texts_with_several_lines_stand_in_lines(end):
    text = f"How large is the market: now?\n\n- {'and then ' * 15}\n  # 多少？{end}"
    written = add_yaml_entries("", [{"id": 1, "t": text}])
    sign = "|" if end else "|-"
    assert written.splitlines()[1:] == [
        f"  t: {sign}",
        *(f"    {line}" if line else "" for line in text.splitlines()),
    ]


def test_indented_lists_are_added_to_as_they_are():
    text = "# top\n  - id: a # one\n    p: 'q'\n    # two\n  -   id: c\n# end"
    longer = add_yaml_entries(text, [{"id": "b", "l": [{"a": "é"}]}])
    assert longer.startswith(text)
    assert read_yaml(longer) == [{"id": "a", "p": "q"}, {"id": "c"}, {"id": "b", "l": [{"a": "é"}]}]


@pytest.mark.parametrize(
    "text",
    [
        "# x\r\n- id: a\r\n- id: b\r\n",
        "# x\r  - id: a\r  - id: b\r",
        "\ufeff- id: a\n",
        "- id: 'a\x85\x85b'\n- id: b\n",
        '- id: "a\u2028\u2028b"\n- id: b',
        "--- # - x\n-\n  id: a\n",
    ],
)
def test_whatever_ends_the_lines_of_a_list_it_is_added_to(text):
    longer = add_yaml_entries(text, [{"id": "c"}, {}, {"id": "d"}])
    assert longer.startswith(text)
    assert read_yaml(longer) == [*read_yaml(text), {"id": "c"}, {}, {"id": "d"}]


def test_what_is_wrong_with_a_list_is_said_when_it_is_added_to():
    with pytest.raises(BadFile, match="stands there twice") as caught:
        add_yaml_entries("- id: a\n- id: b\n  id: c\n", [{"id": "d"}])
    assert caught.value.line == 3


@pytest.mark.parametrize("text", ["[{id: a}]\n", "[]", "- id: a\n...\n", "- {id: a\n}\n"])
def test_a_list_that_is_not_added_to_is_refused_or_read_back(text):
    try:
        longer = add_yaml_entries(text, [{"id": "b"}])
    except BadFile as error:
        assert "cannot be added" in error.problem
    else:
        assert read_yaml(longer) == [*read_yaml(text), {"id": "b"}]


@pytest.mark.parametrize("text", ["[{id: a}]\n", "[]"])
def test_a_list_in_one_line_is_refused(text):
    with pytest.raises(BadFile, match="cannot be added"):
        add_yaml_entries(text, [{"id": "b"}])
