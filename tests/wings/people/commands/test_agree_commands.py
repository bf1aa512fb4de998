"""`agree support`, as a user types it."""

import csv

import pytest

PAGE = "The ferry line opened in 2019. It carries 4,200 passengers a day. It does not carry cars."
PAIRS = (
    ("The ferry line opened in 2019.", "supported", PAGE, ""),
    ("The ferry line carries 4,200 passengers a day.", "支持", PAGE, ""),
    ("A bakery closed in 1987.", "not supported", PAGE, ""),
    ("Bicycles need repair each winter.", "0", PAGE, ""),
    (
        "The bridge cost 4 million euros in 2011.",
        "not supported",
        "",
        "https://nobody.example/swallows",
    ),
)


@pytest.fixture
def pairs(tmp_path):
    path = tmp_path / "pairs.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("statement", "label", "page", "url"), *PAIRS])
    return path


def test_agreement_is_told_for_each_class_and_what_was_not_judged(deepassay, pairs):
    done = deepassay("agree", "support", pairs, "--run", "r")
    assert "supported:     2 of 2 agree, 100.0 %" in done.stdout
    assert "not supported: 2 of 2 agree, 100.0 %" in done.stdout
    assert "all:           4 of 4 agree" in done.stdout
    assert "Cohen's kappa: 1.000" in done.stdout
    assert "without a verdict: 1 (page not_archived)" in done.stdout
    assert done.returncode == 1  # not all of them were judged


def test_partial_support_is_a_label_and_counts_as_none(deepassay, tmp_path):
    rows = [("statement", "label", "page"), (PAIRS[0][0], "supported", PAGE)]
    rows += [
        ("A bakery closed in 1987.", word, PAGE) for word in ("partial", "Partially supported")
    ]
    with (tmp_path / "pairs.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    done = deepassay("agree", "support", "pairs.csv", "--run", "r")
    assert done.returncode == 0, done.stderr
    assert "not supported: 2 of 2 agree" in done.stdout
    assert "labels 'partial', counted as not supported: 2" in done.stdout


def test_pages_of_addresses_come_from_snapshots(deepassay, pairs, tmp_path):
    page = tmp_path / "swallows.html"
    text = "<p>Swallows come back to their nests in April and sleep in reeds in autumn.</p>" * 3
    page.write_text(f"<html><body><article>{text}</article></body></html>", encoding="utf-8")
    kept = deepassay(
        *("sources", "import", page, "--url", "https://nobody.example/swallows"),
        *("--snapshots", "pages.assay"),
    )
    assert kept.returncode == 0, kept.stderr
    done = deepassay("agree", "support", pairs, "--run", "r", "--snapshots", "pages.assay")
    assert "all:           5 of 5 agree" in done.stdout
    assert done.returncode == 0


def test_columns_are_known_however_they_are_capitalised(deepassay, tmp_path):
    file = tmp_path / "pairs.csv"
    file.write_text("Statement, LABEL,Page\nMoss grows.,supported,Moss grows.\n")
    assert " of 1 agree" in deepassay("agree", "support", file, "--run", "r").stdout
    file.write_text("statement;label;page\nMoss grows.;supported;Moss grows.\n")
    assert " of 1 agree" in deepassay("agree", "support", file, "--run", "r").stdout
    file.write_text("said;label;page\nMoss grows.;supported;Moss grows.\n")
    done = deepassay("agree", "support", file, "--run", "r")
    assert "There are: said, label, page." in done.stderr


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("Moss grows.,maybe,Moss grows.,", "line 2: 'maybe' is no label"),
        ("Moss grows.,supported,,", "line 2: statement, or both page and url, are missing"),
    ],
)
def test_a_row_that_cannot_be_used_is_named(deepassay, tmp_path, line, said):
    (tmp_path / "bad.csv").write_text(f"statement,label,page,url\n{line}\n", encoding="utf-8")
    done = deepassay("agree", "support", tmp_path / "bad.csv", "--run", "r")
    assert said in done.stderr
    assert done.returncode == 2
