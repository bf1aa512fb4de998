"""What the raters' pages say stands in one catalogue, in every language, and nowhere else."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest

from deepassay.wings.people.annotate.words import LANGUAGES, WORDS

PACKAGE = files("deepassay.wings.people.annotate")
PAGES = {
    page.name: page.read_text(encoding="utf-8")
    for page in PACKAGE.joinpath("pages").iterdir()
    if page.name.endswith(".jinja")
}
SAID = re.compile(r"\bwords\.(\w+)")
# Names that a page is given by the server: of what is missing, and of why a page is refused.
GIVEN = re.compile(
    r"""return "(\w+)"|problem="(\w+)"|\["(\w+)"\]|= "(lost_span)"|or \("(no_comment)\""""
)


def named_by_the_program() -> set[str]:
    text = "".join(PACKAGE.joinpath(f"{name}.py").read_text("utf-8") for name in
                   ("forms", "server", "label_studio"))  # fmt: skip
    found = {name for each in GIVEN.findall(text) for name in each if name}
    return found & WORDS["en"].keys()


def test_every_language_has_every_text() -> None:
    assert set(WORDS) == set(LANGUAGES)
    first, *others = WORDS.values()
    for other in others:
        assert other.keys() == first.keys()
        assert all(text.strip() or name == "of" for name, text in other.items())


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", PAGES)
def test_every_text_of_a_page_stands_in_the_catalogue(name: str, language: str) -> None:
    """Jinja would stop at one that does not; here it is told before a rater meets it."""
    assert {*SAID.findall(PAGES[name])} <= WORDS[language].keys()


def test_every_text_of_the_catalogue_is_said_somewhere() -> None:
    said = {name for page in PAGES.values() for name in SAID.findall(page)}
    assert WORDS["en"].keys() - said == named_by_the_program() - said


@pytest.mark.parametrize("name", PAGES)
def test_no_page_says_anything_by_itself(name: str) -> None:
    bare = re.sub(r"\{#.*?#\}|\{%.*?%\}|\{\{.*?\}\}", "", PAGES[name], flags=re.DOTALL)
    told = re.findall(r'(?:aria-label|title|placeholder|alt)="([^"]*)"', bare)
    text = re.sub(r"<[^>]*>", " ", bare)
    assert not re.search(r"[^\W\d_]{2,}", " ".join([text, *told])), text


def test_scripts_say_nothing_by_themselves() -> None:
    """What they tell, the page gives them."""
    for name in ("keys.js", "spans.js"):
        script = PACKAGE.joinpath(name).read_text(encoding="utf-8")
        for told in re.findall(r"(?:textContent|ariaLabel|say\([^,]+,) ?=? ?'([^']*)'", script):
            assert not re.search(r"[^\W\d_]{2,}", told), (name, told)
