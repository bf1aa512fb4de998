"""Citing a clean text in every form, and cleaning it, gives the text back."""

from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.reports.clean import clean
from deepassay.reports.report import Report

URL = "https://news.example/2024/a_(b)?q=1"
NUMBERED = [
    *("[1]", "[1][2]", "[2][1]", "[1, 3-5]", "[2–4]", "[12,13]", "【1†L3-L9】", "【2†source】"),
    *(
        "[^1]",
        "[^note]",
        "<sup>[1]</sup>",
        f"<sup>[2]({URL})</sup>",
        f"[1]({URL})",
        f"[[2]]({URL})",
    ),
    *("[citation:3]", "\\[1\\]", f"<sup><a href='{URL}'>1</a></sup>"),
]
LINKED = [
    *(f"[Annual Report of the Central Bank]({URL})", f"[citation:World Bank]({URL})", f"<{URL}>"),
    *(
        f"({URL})",
        f"([Reuters]({URL}))",
        f"<u>{URL}</u>",
        f'<a href="{URL}">Report on trade in goods</a>',
    ),
    *(
        f"[Trade statistics of the Union]({URL})[1]",
        f"[Trade statistics of the year]({URL}) [2]",
        URL,
    ),
    *("[Trade statistics of the quarter][docs]", "[Data on trade in services][2]"),
]
AUTHORED = [
    "(Okafor et al., 2021)",
    "(Smith & Jones, 2020; Third et al., 2019a)",
    "（李四等，2023）",
]
RAISED = ["¹", "²⁻⁴", "¹,³"]
LISTS = {
    "numbered": "\n\n## References\n\n[1] One: https://a.example/1\n[2] Two: https://a.example/2",
    "linked": "\n\n[docs]: https://a.example/docs\n[2]: https://a.example/2",
    "authored": "\n\n**Works Cited**\n\nOkafor, P. (2021). *Trade*. Journal, 3(1), 1–9.",
}
NOUNS = st.sampled_from(
    ["growth", "exports", "4.5% in 2024", "the U.S. market", "CO₂", "**trade**"]
)
CHINESE = st.sampled_from(["经济增长4.5%", "出口额为39,218元", "“市场”扩大", "GDP上升"])


@st.composite
def sentences(draw, forms):
    """A sentence without and with a citation: before the full stop, after it, or in the middle."""
    form = draw(st.sampled_from(forms))
    subject = draw(NOUNS)
    plain = f"Figures show {subject} and higher wages."
    cited = draw(
        st.sampled_from(
            [
                f"Figures show {subject} and higher wages {form}.",
                f"Figures show {subject} and higher wages. {form}",
                f"Figures show {subject} {form} and higher wages.",
                f"Figures show {subject} and higher wages ({form})."
                if form[0] not in "(（⁰¹²"
                else plain,
                plain,
            ]
        )
    )
    return plain, cited


@st.composite
def chinese_sentences(draw, forms):
    """The same in Chinese, where no blank stands between words."""
    form = draw(st.sampled_from(forms))
    subject = draw(CHINESE)
    ways = [
        f"数据显示{subject}{form}。",
        f"数据显示{subject} {form}。",
        f"数据显示{subject}。{form}",
    ]
    return f"数据显示{subject}。", draw(st.sampled_from(ways))


@st.composite
def reports(draw):
    """A report without and with citations in one style, in several kinds of block."""
    style = draw(st.sampled_from(["numbered", "linked", "authored"]))
    forms = {"numbered": NUMBERED, "linked": LINKED, "authored": AUTHORED}[style]
    plain, cited = [], []
    for _ in range(draw(st.integers(1, 4))):
        chinese = draw(st.booleans()) and style == "numbered"
        of = chinese_sentences(forms) if chinese else sentences(forms)
        pairs = draw(st.lists(of, min_size=1, max_size=3))
        joint = "" if chinese else " "
        frame = draw(
            st.sampled_from(
                ["{}", "- {}", "> {}", "## Part\n\n{}", "| a | b |\n|---|---|\n| x | {} |"]
            )
        )
        plain.append(frame.format(joint.join(each[0] for each in pairs)))
        cited.append(frame.format(joint.join(each[1] for each in pairs)))
    ending = draw(st.sampled_from(["", LISTS[style]])) if style != "linked" else LISTS[style]
    return "\n\n".join(plain), "\n\n".join(cited) + ending


@given(reports())
@settings(deadline=None, max_examples=60)
def test_cleaning_a_cited_text_gives_the_text_back(pair):
    plain, cited = pair
    assert clean(cited) == plain


@given(st.sampled_from(RAISED), st.sampled_from(["wages.{} Next", "工资。{}下"]))
def test_superscripts_after_a_sentence_go(form, frame):
    assert clean(frame.format(form)) == frame.format("")


@given(reports())
@settings(deadline=None, max_examples=40)
def test_a_text_without_citations_is_left_as_it_is(pair):
    plain, _ = pair
    assert clean(plain) == plain
    assert Report(plain).citations == ()
