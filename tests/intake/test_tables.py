"""Tables in every separator, quoting and encoding read back as they were written."""

import csv
import io
import json
import warnings
import zipfile
from datetime import date

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from deepassay.errors import Notice
from deepassay.files import BadFile
from deepassay.intake.choices import choices_in
from deepassay.intake.choosing import table_for
from deepassay.intake.columns import NamedColumns
from deepassay.intake.tables import read_tables, tables_of

HEADS = ["id", "prompt", "response"]
CELL = st.text(
    st.sampled_from([*"abcXYZ019 ,;|\t\n\"'.:?!", "ü", "é", "é", "问", "题", "€", "—", "\\"]),
    max_size=30,
).filter(lambda cell: "\r" not in cell)
ROW = st.tuples(st.from_regex(r"\A[a-z]{1,5}[0-9]\Z"), CELL, CELL)


def written(rows, separator=",", quoting=csv.QUOTE_MINIMAL, line_end="\r\n"):
    stream = io.StringIO()
    csv.writer(stream, delimiter=separator, quoting=quoting, lineterminator=line_end).writerows(
        rows
    )
    return stream.getvalue()


def cells(rows):
    return [tuple(row.fields.values()) for row in rows]


@settings(max_examples=60, deadline=None)
@given(
    rows=st.lists(ROW, min_size=1, max_size=5),
    separator=st.sampled_from(",;\t|"),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC]),
    line_end=st.sampled_from(["\n", "\r\n"]),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-le"]),
)
def test_a_table_reads_back_however_it_is_written(rows, separator, quoting, line_end, encoding):
    raw = written([HEADS, *rows], separator, quoting, line_end).encode(encoding)
    found = tables_of(raw, ".csv", "t.csv")[""]
    assert cells(found) == rows
    assert list(found[0].fields) == HEADS


SAID = {
    "cp1252": ("Was kostet Öl für Häuser?", "Quel est l'âge légal de départ à la retraite ?"),
    "cp1250": ("Jakie są koszty pomp ciepła?", "Jaké jsou náklady na tepelná čerpadla?"),
    "cp1251": ("Какова стоимость тепловых насосов?",),
    "gb18030": ("量子计算机对公钥密码学有什么影响？城市绿化的经济效益如何？",),
}


@pytest.mark.parametrize(
    ("encoding", "prompt"), [(code, each) for code, those in SAID.items() for each in those]
)
def test_what_a_spreadsheet_saves_in_the_encoding_of_its_country_is_read_or_refused(
    encoding, prompt
):
    raw = written([["id", "prompt"], ["a", prompt]], ";").encode(encoding)
    assert cells(tables_of(raw, ".csv", "t.csv")[""]) == [("a", prompt)]


def test_an_encoding_that_may_be_two_is_refused_with_both_readings():
    with pytest.raises(BadFile, match=r"windows-1252 \(mère\) or windows-1250 \(mčre\)") as caught:
        tables_of("id,prompt\na,mère\n".encode("cp1252"), ".csv", "t.csv")
    assert "iconv -f WINDOWS-1252 -t UTF-8" in caught.value.remedy


LITTLE = {
    "gb18030": ("问题,模型,回答", "“It rose” – it’s said…"),
    "big5": ("標題,模型,回答", "It rose — “they say”…"),
    "cp932": ("題名,模型,回答", "“It rose” … ±3 °C ×2"),
    "cp949": ("제목,모델,대답", "“It rose” … ±3 °C ×2"),
}
"""Heads in a language, above cells that have nothing but marks of it."""


@pytest.mark.parametrize("encoding", LITTLE)
def test_no_encoding_is_offered_that_is_only_a_guess(encoding):
    head, cell = LITTLE[encoding]
    raw = "\r\n".join([head, *[f"What is it?,wren,{cell * 9} {n}" for n in range(40)]])
    with pytest.raises(BadFile, match=r"its encoding is not certain\Z") as caught:
        tables_of(raw.encode(encoding), ".csv", "t.csv")
    assert caught.value.remedy.endswith("with iconv from the encoding that it has")


@pytest.mark.parametrize(
    "text",
    [
        "sep=;\nid;prompt\na;What, if?\n",
        "'id','prompt'\n'a','What, if?'\n",
        '"id","prompt"\n"a","What, if?"\n',
        "id\tprompt\na\tWhat, if?\n",
        ',id,prompt\n0,a,"What, if?"\n',
        'Pilot study,\n,\nid,prompt\na,"What, if?"\n',
    ],
)
def test_what_programs_add_to_a_table_is_no_part_of_it(text):
    (row,) = tables_of(text.encode(), ".csv", "t.csv")[""]
    assert row.fields == {"id": "a", "prompt": "What, if?"}


def test_a_cell_that_is_called_as_columns_are_is_no_head():
    rows = tables_of(b"rater,verdict,why\nann,no,text\nbob,yes,title\n", ".csv", "t.csv")[""]
    assert [row.fields["rater"] for row in rows] == ["ann", "bob"]


def test_backslashes_before_quotes_are_read():
    (row,) = tables_of(b'id,prompt\na,"He said \\"so\\", twice"\n', ".csv", "t.csv")[""]
    assert row.fields["prompt"] == 'He said "so", twice'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("id,prompt\na,one, two\n", "more or fewer cells than the header has (3 and 2)"),
        ("id,id\na,b\n", "the column 'id' stands there twice"),
        ("a;b,c\nd;e,f\n", "by several separators: comma and semicolon"),
    ],
)
def test_what_may_be_two_tables_or_none_is_refused(text, said):
    with pytest.raises(BadFile) as caught:
        tables_of(text.encode(), ".csv", "t.csv")
    assert said in caught.value.problem
    assert caught.value.remedy


ROWS = [{"question": "Why?", "model": "a"}, {"question": "How?", "model": "b"}]
SHAPES = [
    ROWS,
    {"tasks": ROWS, "version": 2},
    {"question": ["Why?", "How?"], "model": ["a", "b"]},
    {"question": {"0": "Why?", "1": "How?"}, "model": {"0": "a", "1": "b"}},
    {"columns": ["question", "model"], "index": [0, 1], "data": [["Why?", "a"], ["How?", "b"]]},
]


@pytest.mark.parametrize("value", SHAPES, ids=lambda value: json.dumps(value)[:40])
def test_json_has_rows_in_all_the_ways_in_which_tables_are_written(value):
    found = tables_of(json.dumps(value).encode(), ".json", "t.json")[""]
    assert [row.fields for row in found] == ROWS


def test_json_lines_and_lists_are_read_under_either_ending():
    lines = "".join(json.dumps(row) + "\n" for row in ROWS).encode()
    for raw, ending in ((lines, ".json"), (json.dumps(ROWS).encode(), ".jsonl")):
        assert [row.fields for row in tables_of(raw, ending, "t")[""]] == ROWS


def test_texts_by_identifier_and_lists_of_texts_are_prompts():
    found = tables_of(b'{"a": "Why?", "b": "How?"}', ".json", "t.json")[""]
    assert cells(found) == [("a", "Why?"), ("b", "How?")]
    for raw, ending in ((b'["Why?", "How?"]', ".json"), (b"- Why?\n- How?\n", ".yaml")):
        assert cells(tables_of(raw, ending, "t")[""]) == [("Why?",), ("How?",)]


@pytest.mark.parametrize(
    ("value", "held"),
    [
        ({"results": {"table": [1]}, "evalId": "x"}, "object with the fields 'results', 'evalId'"),
        ([["Why?", {}]], "a JSON list of lists"),
        ([1, "Why?", {}], "a JSON list of objects and texts and values"),
    ],
)
@pytest.mark.parametrize("ending", [".json", ".jsonl"])
def test_json_without_rows_is_told_for_what_it_holds(value, held, ending):
    with pytest.raises(BadFile, match=held):
        tables_of(json.dumps(value, indent=1).encode(), ending, "a")
    with pytest.raises(BadFile, match="not JSON"):
        tables_of(json.dumps(value, indent=1).encode()[:-1], ending, "a")


@pytest.mark.parametrize(
    ("name", "kind"),
    [("ORIGIN", "a file without an ending"), ("tasks.data", "a file named *.data")],
)
def test_what_is_read_as_json_for_want_of_a_known_ending_is_told_so(tmp_path, name, kind):
    (tmp_path / name).write_text("Only words.\n")
    with pytest.raises(BadFile) as caught:
        read_tables(tmp_path / name)
    assert caught.value.problem == f"{kind} is read as JSON, which it is not"


def test_several_lists_in_one_file_are_refused():
    tables = tables_of(json.dumps({"train": ROWS, "test": ROWS}).encode(), ".json", "t.json")
    with pytest.raises(BadFile, match="2 sheets may be meant: 'train', 'test'") as caught:
        table_for(tables, NamedColumns(), [["prompt"]], "t.json")
    assert "--columns sheet=train" in caught.value.remedy


@pytest.mark.parametrize(
    ("text", "prompts"),
    [
        ("Why?\n\nHow?\r\n", ["Why?", "How?"]),
        ("1. Why?\n2. How?\n", ["Why?", "How?"]),
        ("- Why?\n- How?\n", ["Why?", "How?"]),
        ("id\tprompt\na\tWhy?\n", None),
    ],
)
def test_a_text_has_a_prompt_a_line(text, prompts):
    found = tables_of(text.encode(), ".txt", "t.txt")[""]
    assert [row.fields["prompt"] for row in found] == (prompts or ["Why?"])
    assert ("id" in found[0].fields) == (prompts is None)


@pytest.mark.parametrize(
    "text",
    [
        *("Why is it\nso?\n", "One\nTwo\n\nThree\n", "1. Why?\nHow?\n", "# Pilot\nWhy?\nHow?\n"),
        *(
            "Questions of May\nWhy?\nHow?\n",
            "Q: Why?\nA: So.\nQ: How?\nA: So.\n",
            "Why?\n---\nHow?\n",
        ),
        *("a;Why?\nb;How?\n", "id,prompt\na,Why?\n", "A    Why?\nB    How?\n", "<li>Why?</li>\n"),
        "2026-05-01 Why?\n2026-05-02 How?\n",
    ],
)
def test_lines_that_may_be_no_tasks_or_parts_of_one_are_refused(text):
    with pytest.raises(BadFile, match="not certain that every line is a task") as caught:
        tables_of(text.encode(), ".txt", "t.txt")
    assert "CSV" in caught.value.remedy or "one line each" in caught.value.remedy


def test_a_hidden_sheet_is_said_to_be_and_offered_last(tmp_path):
    rows = [["id", "prompt"], ["a", "Why?"]]
    path = workbook(tmp_path / "b.xlsx", {"old": rows, "new": rows}, hidden=("old",))
    with pytest.raises(BadFile, match="'new', 'old', which is hidden") as caught:
        table_for(read_tables(path), NamedColumns(), [["prompt"]], "b.xlsx")
    assert [(way.said, way.note) for way in choices_in(caught.value)] == [
        ((("sheet", "new"),), ""),
        ((("sheet", "old"),), "hidden"),
        ((("sheet", "new"), ("sheet", "old")), "all together, with the hidden"),
    ]
    path = workbook(tmp_path / "c.xlsx", {"old": rows, "new": [["note"], ["x"]]}, hidden=("old",))
    with pytest.warns(Notice, match=r"c\.xlsx: hidden sheets are read: 'old'\."):
        table_for(read_tables(path), NamedColumns(), [["prompt"]], "c.xlsx")


def workbook(path, sheets, hidden=()):
    """A workbook of the rows that are given by sheet, written without a library."""
    book = zipfile.ZipFile(path, "w")
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"
    kinds, links, named = [], [], []
    for n, (name, rows) in enumerate(sheets.items(), start=1):
        lines = "".join(f"<row>{''.join(map(_cell, row))}</row>" for row in rows)
        sheet = f'<worksheet xmlns="{main}"><sheetData>{lines}</sheetData></worksheet>'
        book.writestr(f"xl/worksheets/sheet{n}.xml", sheet)
        kind = "application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"
        kinds.append(f'<Override PartName="/xl/worksheets/sheet{n}.xml" ContentType="{kind}"/>')
        target = f'Type="{office}/worksheet" Target="worksheets/sheet{n}.xml"'
        links.append(f'<Relationship Id="r{n}" {target}/>')
        state = "hidden" if name in hidden else "visible"
        named.append(f'<sheet name="{name}" sheetId="{n}" state="{state}" r:id="r{n}"/>')
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"
    kinds.append(f'<Override PartName="/xl/workbook.xml" ContentType="{kind}"/>')
    xml = '<Default Extension="xml" ContentType="application/xml"/>'
    rels = "application/vnd.openxmlformats-package.relationships+xml"
    types = f'<Default Extension="rels" ContentType="{rels}"/>{xml}{"".join(kinds)}'
    book.writestr("[Content_Types].xml", f'<Types xmlns="{package}/content-types">{types}</Types>')
    root = f'<Relationship Id="r1" Type="{office}/officeDocument" Target="xl/workbook.xml"/>'
    for place, own in (("_rels/.rels", root), ("xl/_rels/workbook.xml.rels", "".join(links))):
        text = f'<Relationships xmlns="{package}/relationships">{own}</Relationships>'
        book.writestr(place, text)
    sheet = (
        f'<workbook xmlns="{main}" xmlns:r="{office}"><sheets>{"".join(named)}</sheets></workbook>'
    )
    book.writestr("xl/workbook.xml", sheet)
    book.close()
    return path


def _cell(value):
    if isinstance(value, int | float):
        return f"<c><v>{value}</v></c>"
    return f'<c t="inlineStr"><is><t>{value}</t></is></c>' if value else "<c/>"


def test_a_workbook_has_a_table_for_each_sheet_with_whole_numbers(tmp_path):
    pytest.importorskip("python_calamine")
    path = workbook(
        tmp_path / "t.xlsx",
        {
            "Read me": [["This is the pilot.", ""], ["Owner: Dana", ""], ["Version", 3]],
            "A": [["Pilot"], ["#", "Frage"], [1, "Warum?"], [2, "Wie?"]],
            "B": [["Notes"]],
        },
    )
    (sheet, rows), *others = read_tables(path).items()
    assert (sheet, cells(rows), others) == ("A", [(1, "Warum?"), (2, "Wie?")], [])


def test_a_table_without_rows_is_told_as_one():
    with pytest.raises(BadFile, match=r"a\.csv holds no rows below names of columns"):
        table_for(tables_of(b"prompt,agent\n", ".csv", "a.csv"), NamedColumns(), [], "a.csv")


def test_what_is_no_workbook_is_refused():
    pytest.importorskip("python_calamine")
    with pytest.raises(BadFile, match="cannot be read as a spreadsheet"):
        tables_of(b"PK\x03\x04 torn", ".xlsx", "t.xlsx")


def changed(path, sheet, old, new):
    """A workbook with another text in the XML of a sheet."""
    with zipfile.ZipFile(path) as book:
        files = {name: book.read(name).decode() for name in book.namelist()}
    files[sheet] = files[sheet].replace(old, new)
    with zipfile.ZipFile(path, "w") as book:
        for name, text in files.items():
            book.writestr(name, text)


SHEET = "xl/worksheets/sheet1.xml"


def test_a_workbook_of_which_a_sheet_cannot_be_looked_at_is_refused(tmp_path):
    """What reads workbooks may unpack it all the same, or the sheets behind it."""
    pytest.importorskip("python_calamine")
    path = tmp_path / "odd.xlsx"
    workbook(path, {"S": [["question"], ["Why?"]]})
    raw = bytearray(path.read_bytes())
    entry = raw.index(SHEET.encode(), raw.index(b"PK\x01\x02")) - 46
    assert raw[entry : entry + 4] == b"PK\x01\x02"
    raw[entry + 10 : entry + 12] = (99).to_bytes(2, "little")  # packed in a way that nobody knows
    with pytest.raises(BadFile, match="one of its sheets cannot be unpacked"):
        tables_of(bytes(raw), ".xlsx", "odd.xlsx")


def test_a_cell_far_out_is_refused_before_memory_is_taken_for_all_before_it(tmp_path):
    pytest.importorskip("python_calamine")
    path = tmp_path / "far.xlsx"
    workbook(path, {"S": [["question"], ["Why?"]]})
    far = '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData>'
    changed(path, SHEET, "</sheetData>", far)
    with pytest.raises(BadFile, match="more than 20,000,000 cells"):
        read_tables(path)


def opened_document(path, rows):
    """A workbook of LibreOffice with these rows."""
    office = "urn:oasis:names:tc:opendocument:xmlns:"
    spaces = " ".join(f'xmlns:{n}="{office}{n}:1.0"' for n in ("office", "table", "text"))
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    manifest = f'<m:manifest xmlns:m="{office}manifest:1.0"><m:file-entry m:full-path="/" '
    with zipfile.ZipFile(path, "w") as book:
        book.writestr("mimetype", kind)
        listed = f'{manifest}m:media-type="{kind}"/></m:manifest>'
        book.writestr("META-INF/manifest.xml", listed)
        body = f'<table:table table:name="S">{"".join(rows)}</table:table>'
        body = f"<office:body><office:spreadsheet>{body}</office:spreadsheet></office:body>"
        book.writestr(
            "content.xml", f"<office:document-content {spaces}>{body}</office:document-content>"
        )
    return path


def ods_row(*cells, times=1):
    """A row that stands there several times. cells: a text, and how often; none is empty."""
    said = "".join(
        f'<table:table-cell table:number-columns-repeated="{again}"'
        + (
            f' office:value-type="string"><text:p>{text}</text:p></table:table-cell>'
            if text
            else "/>"
        )
        for text, again in cells
    )
    return f'<table:table-row table:number-rows-repeated="{times}">{said}</table:table-row>'


def test_cells_that_say_how_often_they_stand_there_are_bounded(tmp_path):
    pytest.importorskip("python_calamine")
    head = ods_row(("question", 1), ("answer", 1), ("", 16382))
    empty = ods_row(("", 16384), times=1_000_000)
    good = [head, ods_row(("Why?", 1), ("So.", 1), ("", 16382)), empty]
    assert cells(read_tables(opened_document(tmp_path / "a.ods", good))["S"]) == [("Why?", "So.")]
    for row in (
        ods_row(("x", 16384), times=20_000),
        f"{empty}{ods_row(('', 16383), ('x', 1))}",
        f"{ods_row(('', 16383), ('x', 1))}{empty}{ods_row(('y', 1))}",
    ):
        with pytest.raises(BadFile, match="more than 20,000,000 cells"):
            read_tables(opened_document(tmp_path / "far.ods", [head, row]))


def test_cells_that_are_merged_have_the_value_of_the_first(tmp_path):
    pytest.importorskip("python_calamine")
    path = tmp_path / "merged.xlsx"
    workbook(path, {"S": [["question", "model"], ["Why?", "a"], [None, "b"]]})
    merged = '</sheetData><mergeCells count="1"><mergeCell ref="A2:A3"/></mergeCells>'
    changed(path, SHEET, "</sheetData>", merged)
    assert cells(read_tables(path)["S"]) == [("Why?", "a"), ("Why?", "b")]


def test_parquet_reads_as_json_does(tmp_path):
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    rows = [{"question": "Why?", "day": date(2026, 1, 2)}]
    parquet.write_table(arrow.Table.from_pylist(rows), tmp_path / "t.parquet")
    assert read_tables(tmp_path / "t.parquet")[""][0].fields["question"] == "Why?"


@settings(max_examples=60, deadline=None)
@given(
    st.binary(max_size=200), st.sampled_from([".csv", ".txt", ".json", ".yaml", ".xlsx", ".tsv"])
)
@example(b"#\n", ".csv")
def test_no_bytes_raise_anything_but_an_error_for_people(raw, ending):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Notice)  # remarks above a table are told of
        try:
            tables_of(raw, ending, "t")
        except BadFile as error:
            assert error.remedy
