"""Random drafts that cite by ids, as a writer may set them, and the sources they may cite."""

from hypothesis import strategies as st

from deepassay.reports.numbering import Source

WORDS = st.sampled_from(
    [
        *("Sales rose", "by 3.5% in 2025", "Wir messen über Nacht", "in the U.S.", "see Fig. 3"),
        *("年", "市场增长", "占比20%", "vitamin D", "arr", "x1", "5 m²", "10³", "costs $5 and $6"),
        *("(n = 12)", "[sic]", "[ ]", "[GPT4]", "95% CI [1, 3]", "it is so!", "“quoted”", "a_b"),
        *("list[0]", "(see", ")", "and", "or", "to", "**bold**", "_", "`x[e1]`", "`", "\\(x_1\\)"),
        *("$x_1$", "$", "![e1](i.png)", "<br>", "Smith et al. (2020)", "H[2]O", "A", "“", "e1"),
    ]
)
IDS = st.sampled_from(["e1", "e2", "e3", "E4", "e5", "e6", "e7", "e8", "e12", "e99"])
FORMS = st.sampled_from(
    [
        "[{}]",
        "【{}】",
        "[{}, {}]",
        "[{}；{}]",
        "[{}][{}]",
        "[{}], [{}]",
        "[{}] and [{}]",
        "([{}])",
        "[[{}]]",
        "\\[{}\\]",
        "[^{}]",
        "<sup>[{}]</sup>",
        "(see [{}])",
        "[ {} ]",
        "［{}、{}］",
        "[{}](https://e.example/x)",
        "*[{}]*",
        "[{}] / [{}]",
        "来源：[{}]",
        "[{}]–[{}]",
    ]
)
MARKERS = st.builds(lambda form, one, two: form.format(one, two), FORMS, IDS, IDS)
PLAIN = st.builds(
    str.format, st.sampled_from(["[{}]", "【{}】", "[{}, {}]", "[{}；{}]", "[{}][{}]"]), IDS, IDS
)
JOINS = st.sampled_from(["", " ", "  ", ". ", "。", ", ", "，", "\n", "; "])
BLOCKS = st.sampled_from(
    [
        *("\n\n", "\n\n## ", "\n\n# ", "\n- ", "\n1. ", "\n\n> ", "\n\n| a | b |\n|---|---|\n| "),
        *(" | ", " |\n| ", "\n\n```\ncode [e1]\n```\n\n", "\n\n    code [e2]\n\n", "\r\n\r\n"),
        *("\n\n---\n\n", "\n\n<div>\n", "\n\n</div>\n", "\n\n**Title**\n"),
    ]
)
DRAFTS = st.lists(
    st.one_of(WORDS, MARKERS, JOINS, WORDS, MARKERS, BLOCKS), min_size=4, max_size=30
).map("".join)

SIMPLE = st.lists(
    st.one_of(WORDS, PLAIN, JOINS, WORDS, PLAIN, BLOCKS), min_size=4, max_size=30
).map("".join)

OTHERS = st.sampled_from(
    [
        *("[3]", "[1, 2]", "¹", "<sup>2</sup>", "【7†source】", "(Smith, 2020)", "（张三，2024）"),
        *("[the page](https://a.example/1)", "[x](https://other.example/y)", "[citation:T](u)"),
        *("https://b.example/2", "<https://other.example/z>", "([a.example](https://a.example/1))"),
        *("visit https://other.example/q", '<a href="https://a.example/1">it</a>', "[^1]", "[^2]"),
        *("\n\n[^1]: A note [e2]\n", "\n\n[^2]: https://a.example/1\n", "\n\n## References\n\n"),
        *(
            "\n[3] T: https://b.example/2\n",
            "\n[e1] One: https://a.example/1\n",
            "[t][3]",
            "[cite: 1]",
        ),
        *(
            "\n\n```\nopen",
            "\n\n<!-- open",
            "\n\n~~~~\n",
        ),
        *(
            "**Sources:**\n",
            "\n\n## Sources\n\n- [a](https://a.example/1)\n",
            "$$",
            "\\[",
            "(",
            "[",
        ),
    ]
)
WILD = st.lists(st.one_of(WORDS, MARKERS, JOINS, BLOCKS, OTHERS), min_size=4, max_size=30).map(
    "".join
)

TITLES = st.sampled_from(
    [
        *(
            "",
            "One",
            "A: b",
            "[draft] x",
            "`code",
            "$5 to $6",
            "$$",
            "Smith, J. (2020). Boats",
            "潮汐",
        ),
        *("https://x.example/y", "see www.x.example", "1. Numbered", "- dash", "n/a", "a|b", "*x*"),
        *(
            "(2020)",
            "Smith 2020",
            "\\(x",
            "Note: x",
            "<b>",
            "doi:10.1000/1",
            "References",
            "x" * 500,
        ),
    ]
)
URLS = st.sampled_from(
    [
        *("https://a.example/1", "https://b.example/2", "https://a.example/1?utm_source=openai"),
        *("http://a.example/1#part", "https://c.example/x_(y)", "https://c.example/x)(", "ftp://x"),
        *(
            "https://d.example/潮汐",
            "https://d.example/a b",
            "https://d.example/[x]|y",
            "www.e.example",
        ),
        *(
            "https://f.example/end.",
            "https://f.example/a,b?q=1&r={2}",
            "https://f.example/$x_$y",
            "",
        ),
        *("https://g.example/#:~:text=a,b", "https://g.example/“q”", "https://h.example/*a*"),
    ]
)
SOURCES = st.lists(st.builds(Source, URLS, TITLES), min_size=3, max_size=8).map(
    lambda several: {f"e{number}": each for number, each in enumerate(several, start=1)}
)
