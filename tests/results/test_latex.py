"""LaTeX that compiles: nothing from outside is a command, braces and environments balance."""

import re
import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.results.latex import SCALED, as_latex, escaped
from deepassay.results.leaderboard import write
from deepassay.results.ranking import rank
from deepassay.results.tables import Table
from deepassay.score import Signature

from .judgements import RECIPE, make

COMMANDS = (
    r"\\(?:begin|end)\{(?:table|tabular|minipage)\}|\\(?:centering|small|toprule|midrule|bottomrule"
    r"|par|smallskip|footnotesize|raggedright|linewidth|caption|times|pm)(?![A-Za-z])"
    r"|\\text[a-z]+\{\}|\\ldots\{\}|\\symbol\{34\}|\\ensuremath(?=\{)|\\[&%$#_{}]|\\\\(?=\n)"
)

hostile = st.text(st.sampled_from("\\{}$&#^_%~[]*\"'`|<>-–×…a1 鹭\n\r\x1b\u202e"), max_size=30)


def left_over(latex):
    """The text without what we write: no character that LaTeX acts on may be left."""
    lines = latex.replace(SCALED, "{").split("\n")
    body = "\n".join(line for line in lines if not line.startswith("%"))
    return re.sub(COMMANDS, "", body)


def balanced(latex):
    bare = re.sub(r"\\.", "", latex, flags=re.DOTALL)
    depth = 0
    for char in bare:
        depth += {"{": 1, "}": -1}.get(char, 0)
        assert depth >= 0
    return depth == 0


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("a & b", r"a \& b"),
        ("50 % of $3_000 #1", r"50 \% of \$3\_000 \#1"),
        (r"\input{/etc/passwd}", r"\textbackslash{}input\{/etc/passwd\}"),
        ("~^", r"\textasciitilde{}\textasciicircum{}"),
        ("<b>|`'\"", r"\textless{}b\textgreater{}\textbar{}\textasciigrave{}"
                    r"\textquotesingle{}\symbol{34}"),
        ("[x] *", "{[}x] {*}"),
        ("a---b", "a-{}-{}-b"),
        ("苍鹭", "苍鹭"),
        ("two\nlines\x1b[0m", "two lines{[}0m"),
    ],
)  # fmt: skip
def test_every_special_character_is_printed(text, latex):
    assert escaped(text) == latex


@settings(deadline=None, max_examples=60)
@given(hostile, hostile)
def test_no_name_can_run_a_command_or_break_the_table(name, note):
    table = Table(name, ("rank", "agent"), (("1", name), ("2", note)), (note,), frozenset({0}))
    latex = as_latex(table)
    assert balanced(latex)
    rest = left_over(latex)
    assert not set(rest) & set("\\$#^_%~")
    rows = latex[latex.index("\\midrule") : latex.index("\\bottomrule")].strip().split("\n")[1:]
    assert len(rows) == 2
    assert all(re.sub(r"\\&", "", row).count("&") == 1 for row in rows)
    assert all(row.endswith(r" \\") and row[0] not in "[*" for row in rows)


@settings(deadline=None, max_examples=30)
@given(st.text(string.printable, max_size=40))
def test_a_comment_stays_on_its_line(name):
    recipe = Signature({**RECIPE.identity, "note": name})
    latex = write(rank([make("x", "a", 1, recipe=recipe)]), "latex")
    lines = latex.split("\n")
    assert lines[1].startswith("% recipe of coverage: protocol:coverage")
    assert lines[2] == ""
    assert lines[3] == r"\begin{table}[htbp]"


def test_numbers_stand_right_and_below_zero_with_a_minus():
    table = Table("t", ("agent", "score"), (("a-1", "-0.5 to 1.5"),), (), frozenset({1}))
    latex = as_latex(table)
    assert r"\begin{tabular}{lr}" in latex
    assert r"a-1 & \ensuremath{-}0.5 to 1.5 \\" in latex
    assert "minipage" not in latex


def test_recipes_are_comments_and_what_readers_need_are_notes():
    other = Signature({**RECIPE.identity, "repeats": 3})
    one = write(rank([make("x", "a", 1)]), "latex")
    assert "% recipe of coverage: protocol:coverage|judges:model=offline|repeats:1" in one
    assert "recipe: protocol" not in one
    assert "Judged by the offline baseline" in one
    both = write(
        rank([make("x", "a", 1), make("x", "a", 2, recipe=other)], allow_mixed=True), "latex"
    )
    assert "% recipe of coverage [a]: " in both
    assert "% recipe of coverage [b]: " in both
    assert "x {[}b]" in both
    assert "MIXED" in both
