"""Cleaning removes citations and reference lists and changes nothing else."""

import pytest
from hypothesis import strategies as st

from deepassay.reports.clean import clean
from tests.reports.fixture_files import cases

NEARLY_CITED = [
    *(
        "Lee, 2020",
        "Lee",
        "2020",
        "1999a ",
        "n.d.",
        ", ",
        "；",
        " et al.",
        " & Roe",
        "等，",
        "a" * 390,
    ),
    *("\nLee, A. ", "\n- Roe (1999) ", "(Roe, n.d.)", "(see Lee, 1999, p. 2)", "( Lee, 2020 )"),
    *("[1]", "[his]", "[5m]", "[]", "[ ]", "[x]", "[0, 1]", "[^1]", "[^ ]", "[[2]]", "[CI 95]"),
    *("[ab1]", "[ab1, cd2]", "[a][b]", "[a](", "[a](#b)", "[a](b.example/c)", "[Lee, 2020]"),
    *("\\[1\\]", "\\\\[1]", "\\\\\\[1\\]", "\\[ x \\]", "\\[", "\\]", "\\(", "$$", "$x_1$", "$5"),
    *("![i](u)", "![", "!", "[", "]", "(", ")", "（", "）", "<", ">", "\\", "`", "``", "```\n"),
    *(
        "(Lee, 2020)",
        "(Lee et al., 2020a)",
        "（李明，2020）",
        "(in 2020)",
        "(n.d.)",
        "(Lee 2020; b)",
    ),
    *("Lee, A. (2020). ", "Lee et al., 2020)", "arr[1]", "word[2]", "1. [3] ", "\n3. a doi:10.1/x"),
    *(
        "²",
        "m²",
        "¹⁻³",
        ".¹",
        "ab³",
        "¹ a",
        "【1】",
        "【1†a】",
        "【",
        "】",
        "［1, 2］",
        "\ue200cite\ue202a\ue201",
    ),
    *(
        "<sup>1</sup>",
        "<u>",
        "<a href='a.example/b'>",
        "</a>",
        "www",
        "www.",
        "http:",
        "//a",
        "ab:",
        "]:",
    ),
]
NEARLY_LISTED = [
    *(
        "References",
        "Sources",
        "Notes",
        "参考文献",
        "来源：",
        "注",
        "**Sources**",
        "Key sources (2)",
    ),
    *(
        "## ",
        "# ",
        "###### ",
        "1. ",
        "IV. ",
        "（一）",
        "一、",
        "- ",
        "* ",
        "+ ",
        "> ",
        "**",
        "<b>",
        "</b>",
    ),
    *(
        "\n---\n",
        "\n===\n",
        "\n--\n",
        "\n> --- \n",
        "\n",
        "\n\n",
        "\r\n",
        "\r",
        "\x0b",
        "\t",
        " ",
        "    ",
    ),
    *(
        "[a]: b.example/c\n",
        "[a]: x\n",
        "[^a]: x\n",
        "\n(1)Lee, A. x\n(2)Roe, B. y",
        "\n(2) ",
        "\n¹ ",
    ),
    *(
        "\n（3）Doe, J. (2020) x",
        "\n<sup>4</sup> ",
        "<li>",
        "\n<li>(1) A, B.",
        "\n- (1) doi: x",
        "-\n",
    ),
    *(
        "| a | b |\n|---|---|\n| Sources | x |\n",
        "<!-- a",
        "-->",
        "<div>\n",
        "~~~\n",
        "> " * 10,
        "- " * 5,
    ),
    *(
        "\nSources:\n\n- a",
        "a" * 70,
        "b " * 60,
        "#",
        "→",
        "a\n",
        "Word, word",
        "All pages read.",
        "word. ",
    ),
]
TEXTS = st.lists(st.sampled_from([*NEARLY_CITED, *NEARLY_LISTED]), max_size=12).map("".join)
FEW = st.lists(
    st.one_of(st.sampled_from(NEARLY_LISTED), st.text("a\n -#>()1¹<", max_size=5)), max_size=10
).map("".join)


@pytest.mark.parametrize(("text", "expected"), cases("clean"))
def test_what_is_left_is_what_the_fixture_says(text, expected):
    assert clean(text) == expected
    assert clean(expected) == expected


@pytest.mark.parametrize(
    "text",
    [
        *("put[ting] it[]", "rate(x[5m])", "\\[\nx = 1\n\\]", "5 m² and 10³", "(in 2020, or so)"),
        *("# A\n\n| a |\n|---|\n| b |\n\n---\n\na <5", "The sources of a river\n\n(1) a\n(2) b"),
        *("1. Lee, A. (2020)\n2. Roe, B. (2021)", "(Lee, 2020)", "`a`\n\n```\ncode\n```", "", "\n"),
    ],
)
def test_what_holds_no_citation_and_no_list_stays_as_it_is(text):
    assert clean(text) == text
