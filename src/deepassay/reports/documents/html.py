"""HTML to Markdown: headings, lists, tables, links and raised figures; scripts are left out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from typing import TypeGuard
from urllib.parse import parse_qs, urlsplit

from resiliparse.parse.encoding import detect_encoding
from resiliparse.parse.html import DocumentNode, ElementNode, HTMLTree, Node, TextNode

from deepassay.reports.documents.convert import RefusedDocument
from deepassay.reports.documents.marks import StyledText, heading_mark, inline, table

_LEFT_OUT = frozenset(
    ("head", "script", "style", "noscript", "template", "svg", "nav", "button", "select", "iframe")
)
_BLOCKS = frozenset(
    (
        *("address", "article", "aside", "blockquote", "body", "center", "dd", "details", "div"),
        *("dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "header", "hr", "html"),
        *("h1", "h2", "h3", "h4", "h5", "h6", "li", "main", "ol", "p", "pre", "section", "summary"),
        *("table", "ul"),
    )
)
_DEEPEST = 100  # elements in each other; of what lies deeper the text is taken
_INDENT = "    "
_RAISING_CLASS = re.compile(r"\.([A-Za-z][\w-]{0,40})\s*\{[^{}]{0,600}?vertical-align\s*:\s*super")
_PLAIN = StyledText("")
_BLANKS = re.compile(r"[ \t\r\n\f]+")


def html_markdown(body: bytes) -> str:
    """The text of an HTML page.

    Google Docs raises figures by a style sheet, which is read for that; links into the page itself
    and pictures without a description are left out as such; the
    redirect that Google Docs puts before every address is taken off.

    Raises RefusedDocument where there is no text.
    """
    if body.startswith((b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf")):
        encoding = "utf-8-sig" if body[:1] == b"\xef" else "utf-16"
    else:
        encoding = detect_encoding(body) or "utf-8"
    tree = HTMLTree.parse(body.decode(encoding, "replace"))
    if tree.document:
        _raise_styled(tree.document)
    found = "\n\n".join(_blocks(tree.body, 0)) if tree.body else ""
    if not found.strip():
        raise RefusedDocument("it has no text.", "Open it in a browser and save what it shows.")
    return found + "\n"


def _raise_styled(document: DocumentNode) -> None:
    """Mark what styles raise, in the element or by its class, as `sup` does."""
    sheet = " ".join(each.text or "" for each in document.query_selector_all("style"))
    named = {found[1] for found in _RAISING_CLASS.finditer(sheet)}
    selectors = ["span[style*=super]", *(f"span.{name}" for name in sorted(named))]
    for each in list(document.query_selector_all(", ".join(selectors)).values()):
        each.setattr("data-raised", "")


def _blocks(node: ElementNode, depth: int) -> Iterator[str]:
    """Blocks of Markdown; what stands between block elements is a paragraph."""
    run: list[StyledText] = []
    for child in _children(node):
        if depth < _DEEPEST and _holds_blocks(child):
            yield from _paragraph(run)
            run = []
            yield from _block(child, depth + 1)
        else:
            run += _pieces(child, _PLAIN, depth)
    yield from _paragraph(run)


def _children(node: ElementNode) -> Iterator[Node]:
    """In time linear in their number, which the list of nodes does not take."""
    child = node.first_child
    while child is not None:
        yield child
        child = child.next_sibling


def _holds_blocks(node: Node) -> TypeGuard[ElementNode]:
    """Whether a node is a block, or an inline element around one, as `<b><p>`."""
    if not isinstance(node, ElementNode) or node.tag in _LEFT_OUT:
        return False
    return node.tag in _BLOCKS or any(each.tag in _BLOCKS for each in _elements(node))


def _elements(node: ElementNode) -> Iterator[ElementNode]:
    return (each for each in _children(node) if isinstance(each, ElementNode))


def _paragraph(run: list[StyledText]) -> Iterator[str]:
    words = inline(run).strip()
    if words:
        yield words.replace("\n", "  \n")


def _block(node: ElementNode, depth: int) -> Iterator[str]:
    tag = node.tag
    if tag in ("h1", "h2", "h3", "h4", "h5", "h6"):
        pieces = [piece for each in _children(node) for piece in _pieces(each, _PLAIN, depth)]
        if words := heading_mark(int(tag[1]), inline(pieces)):
            yield words
    elif tag in ("ul", "ol"):
        if items := list(_items(node, depth)):
            yield "\n".join(items)
    elif tag == "pre":
        if words := (node.text or "").strip("\n"):
            fence = "```" if "```" not in words else "~~~~"
            yield f"{fence}\n{words}\n{fence}"
    elif tag == "blockquote":
        if quoted := "\n\n".join(_blocks(node, depth)):
            yield "\n".join(f"> {line}".rstrip() for line in quoted.split("\n"))
    elif tag == "table":
        yield from _table(node, depth)
    elif tag == "hr":
        yield "---"
    else:
        yield from _blocks(node, depth)


def _items(node: ElementNode, depth: int) -> Iterator[str]:
    """The items of a list, one a line; what an item holds besides a paragraph is set in."""
    number = _whole(node.getattr("start")) or 1
    for child in _elements(node):
        if child.tag in ("ul", "ol") and depth < _DEEPEST:  # a list in a list, not in its item
            yield from (_INDENT + line for line in _items(child, depth + 1))
            continue
        number = _whole(child.getattr("value")) or number
        label = f"{number}." if node.tag == "ol" else "-"
        if blocks := list(_blocks(child, depth + 1)):
            first, *rest = "\n".join(blocks).split("\n")
            yield f"{label} {first}"
            yield from (_INDENT + line for line in rest)
            number += 1


def _whole(value: str | None) -> int | None:
    return int(value) if value and value.strip().isdecimal() and len(value) < 7 else None


def _table(node: ElementNode, depth: int) -> Iterator[str]:
    parts = [[each] if each.tag == "tr" else _elements(each) for each in _elements(node)]
    rows = [
        ["\n".join(_blocks(cell, depth + 1)) for cell in _elements(row) if cell.tag in ("td", "th")]
        for row in chain.from_iterable(parts)
        if row.tag == "tr"
    ]
    rows = [row for row in rows if row]
    if len(rows) == 1 and len(rows[0]) == 1:  # a frame around text
        yield rows[0][0]
    elif rows:
        yield table(rows)


def _pieces(node: Node, look: StyledText, depth: int) -> list[StyledText]:
    """Text with the look that elements around it give."""
    if isinstance(node, TextNode):
        return [replace(look, text=_BLANKS.sub(" ", node.text or ""))]
    if not isinstance(node, ElementNode) or node.tag in _LEFT_OUT:
        return []
    tag = node.tag
    if tag == "br":
        return [replace(look, text="\n")]
    if tag == "img":
        described = " ".join((node.getattr("alt") or "").split())
        return [StyledText(f"[Image: {described}]")] if described else []
    if depth >= _DEEPEST:
        return [replace(look, text=" ".join((node.text or "").split()))]
    inner = StyledText(
        "",
        _address(node.getattr("href") or "") if tag == "a" else look.link,
        look.bold or tag in ("b", "strong"),
        look.italic or tag in ("i", "em"),
        look.raised or tag == "sup" or node.hasattr("data-raised"),
    )
    return [piece for each in _children(node) for piece in _pieces(each, inner, depth + 1)]


def _address(href: str) -> str:
    """An address without the redirect of Google Docs."""
    try:
        parts = urlsplit(href.strip())
        if parts.netloc in ("www.google.com", "google.com") and parts.path == "/url":
            wanted = parse_qs(parts.query)
            return next(iter(wanted.get("q") or wanted.get("url") or [href]))
    except ValueError:  # as with half an address of version 6
        return ""
    return href.strip()
