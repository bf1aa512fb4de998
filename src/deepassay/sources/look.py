"""What an HTML page looks like to a visitor, in amounts and marks: for `classes`, which decides.

Runs in the worker processes: its input is hostile. Time grows with the size of the page.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final, NamedTuple

from resiliparse.parse.html import HTMLTree, NodeType

from deepassay.score import Json
from deepassay.sources.words import unquoted


def weight(text: str) -> int:
    """Letters and digits; ideographs and syllables count for three, for they say as much."""
    return sum(3 if each >= "\u2e80" else 1 for each in text if each.isalnum())


@dataclass
class Block:
    """A paragraph, heading, cell or the like with what stands directly in it."""

    tag: str
    parts: list[str] = field(default_factory=list)
    said: int = 0  # of it, what `Look.said` counts

    @property
    def text(self) -> str:
        """On one line, without what it quotes."""
        return unquoted(" ".join("".join(self.parts).split()))


@dataclass
class Look:
    """What a page looks like. Amounts are as `weight` counts, without what is hidden.

    said: in the page itself, outside of frames (menus, headers, footers), links, forms and walls.
    shown: everywhere. consent, wall, mounted: in elements that are named or marked as such (walls
    of consent and other dialogs, of payment; what scripts fill). mount: whether there is one of the
    last. fields: where a visitor may write; search: whether to look for something. error, captcha:
    whether an element is named so. dated: whether an element gives a time. links: addresses outside
    of frames. leads: where a script sends visitors. meta: by lower-case name. data: objects of
    JSON-LD, nested ones too.
    """

    title: str = ""
    blocks: list[Block] = field(default_factory=list)
    said: int = 0
    shown: int = 0
    consent: int = 0
    wall: int = 0
    mounted: int = 0
    mount: bool = False
    noscript: str = ""
    scripts: int = 0
    passwords: int = 0
    fields: int = 0
    buttons: int = 0
    captcha: bool = False
    error: bool = False
    search: bool = False
    dated: bool = False
    leads: str = ""
    links: list[str] = field(default_factory=list)
    meta: dict[str, str] = field(default_factory=dict)
    canonical: str = ""
    data: list[dict[str, Json]] = field(default_factory=list)

    @property
    def headings(self) -> list[str]:
        """The title, and the first headings of the first two levels."""
        heads = (each.text for each in self.blocks if each.tag in _HEADS)
        return [unquoted(self.title), *islice(heads, MOST_HEADINGS)]

    @property
    def sentences(self) -> list[str]:
        """The first sentences of what is said in the page itself, and of its headings."""
        texts = (each.text for each in self.blocks if each.said or each.tag in _HEADS)
        parts = (part for text in texts for part in _SENTENCE.findall(text[:MOST_SENTENCE]))
        return list(islice(parts, MOST_SENTENCES))


_SENTENCE: Final = re.compile(r"(?:[^.!?。！？؟]|\.(?=\S))+[.!?。！？؟]*")
MOST_SENTENCE: Final = 1_000  # characters of a block that are taken apart
MOST_SENTENCES: Final = 100
MOST_HEADINGS: Final = 8
_HEADS: Final = frozenset(["h1", "h2"])

_UNSEEN: Final = frozenset(
    ["script", "style", "template", "noscript", "svg", "iframe", "object", "canvas"]
)
_FRAME: Final = frozenset(["nav", "header", "footer", "aside"])
_LINK: Final = frozenset(["a", "button", "label", "option", "select", "summary"])
_BLOCK: Final = frozenset(
    [
        "body",
        "p",
        "div",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "li",
        "td",
        "th",
        "dd",
        "section",
        "article",
        "main",
        "blockquote",
        "form",
        "dialog",
        "pre",
        "button",
    ]
)
_WHOLE: Final = frozenset(["html", "body", "main", "article"])
_FRAME_ROLE: Final = frozenset(["navigation", "banner", "contentinfo", "complementary", "search"])
_HIDDEN: Final = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_FIELDS: Final = frozenset(["text", "email", "tel", "search", "url", "number"])
MOST_DATA: Final = 200_000  # bytes of JSON-LD that are read


def _names(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


_FRAME_NAME: Final = _names(
    r"(?:(?:site|page|main|global|top|left|right)[-_]?)?"
    r"(?:nav(?:bar|igation)?|menu|header|footer|sidebar|topbar|breadcrumbs?|widget)"
)
_CONSENT_NAME: Final = _names(
    r"(?:\w+[-_])?(?:cookies?|consent|gdpr|cmp|onetrust|didomi|usercentrics|cybot\w*)"
    r"(?:[-_]?(?:wall|banner|dialog|modal|overlay|popup|notice|box|container|layer|root|consent"
    r"|sdk|host|app|gate|screen))?"
)
_WALL_NAME: Final = _names(
    r"(?:\w+[-_])?(?:(?:pay|reg|subscri\w{2,8}|meter|member\w{0,4})[-_]?(?:wall|gate|barrier|lock)"
    r"|(?:premium|locked|gated|paid|member|subscriber)s?[-_]?(?:only|overlay|offer"
    r"|notice|box)|piano[-_]\w+|abo[-_]?(?:wall|box|hinweis)|need[-_]?pay|content[-_]?lock)"
    r"(?:[-_]+\w+)*"
)
_CAPTCHA_NAME: Final = _names(
    r"(?:g-re|h-|re)?captcha(?:[-_](?:box|container|wrap(?:per)?|widget|image|form|challenge))?|cf-turnstile|geetest\w*|nc[-_]container|yidun\w*"
    r"|tcaptcha\w*|(?:slide|slider)[-_]?(?:verify|captcha|box)|verify[-_]?(?:slider|box)"
)
_CAPTCHA_SOURCE: Final = _names(
    r"recaptcha|hcaptcha|challenges\.cloudflare\.com|geetest|captcha|yidun"
)
_MOUNT_NAME: Final = _names(
    r"(?:react-|vue-|ng-)?(?:root|app|mount)(?:-root|-mount|-container|-main)?|__next|__nuxt"
    r"|___gatsby|svelte|main-app|application"
)
_WAIT_NAME: Final = _names(r"(?:\w+[-_])?(?:pre)?(?:loading|loader|spinner|skeleton)(?:[-_]\w+)*")
_LEADS: Final = re.compile(
    r"location(?:\.href)?\s*=\s*[\"']([^\"'\s]+)[\"']"
    r"|location\.(?:replace|assign)\(\s*[\"']([^\"'\s]+)[\"']"
)
MOST_SCRIPT: Final = 2_000  # characters of a script that may do nothing but lead elsewhere
_ERROR_NAME: Final = _names(
    r"(?:(?:page|error|http|status|is|template)[-_]?)*(?:404|410)(?:[-_]\w+)?"
    r"|(?:page|error|is)?[-_]?not[-_]?found(?:[-_]\w+)?"
)


_Node = Any
"""An element or a text; the library has no types."""


class _Around(NamedTuple):
    """What surrounds a text: whether frame, link, form; and the names of elements above it."""

    frame: bool = False
    link: bool = False
    form: bool = False
    consent: bool = False
    wall: bool = False
    mount: bool = False


def look_at(markup: str) -> Look:
    """Measure an HTML page."""
    tree = HTMLTree.parse(markup)
    look = Look(title=" ".join((tree.title or "").split()))
    root = tree.document
    waiting: list[tuple[_Node, _Around, Block]] = []
    if root is not None:
        waiting.append((root, _Around(), Block("")))
    while waiting:
        node, around, block = waiting.pop()
        if node.type == NodeType.TEXT:
            _text(look, node.value or "", around, block)
            continue
        if node.type == NodeType.ELEMENT:
            tag = node.tag
            _note(look, node, tag, around)
            if tag in _UNSEEN or tag == "title" or (tag not in _WHOLE and _is_hidden(node)):
                continue
            around = _inside(look, node, tag, around)
            if tag in _BLOCK:
                block = Block(tag)
                look.blocks.append(block)
        waiting.extend((each, around, block) for each in reversed(list(_children(node))))
    return look


def _children(node: _Node) -> Iterator[_Node]:
    # Not `child_nodes`, which takes time in proportion to the square of their number.
    child = node.first_child
    while child is not None:
        yield child
        child = child.next


def _text(look: Look, text: str, around: _Around, block: Block) -> None:
    amount = weight(text)
    look.shown += amount
    if around.frame:
        return
    block.parts.append(text)
    if around.mount:
        look.mounted += amount
    if around.consent:
        look.consent += amount
    elif around.wall:
        look.wall += amount
    elif not around.link and not around.form:
        look.said += amount
        block.said += amount


def _is_hidden(node: _Node) -> bool:
    closed = node.tag == "dialog" and not node.hasattr("open")
    style = node.getattr("style", "") or ""
    return bool(closed or node.hasattr("hidden") or _HIDDEN.search(style))


def _inside(look: Look, node: _Node, tag: str, around: _Around) -> _Around:
    """What surrounds what is in an element."""
    named = [*(node.class_list or ()), node.id or ""]

    def is_named(pattern: re.Pattern[str]) -> bool:
        return any(pattern.fullmatch(each) for each in named)

    part = tag not in _WHOLE
    mount = (
        (tag == "div" and bool(_MOUNT_NAME.fullmatch(node.id or "")))
        or ("-" in tag and tag.endswith(("-root", "-app")))
        or (
            part and tag in _BLOCK and (node.getattr("aria-busy") == "true" or is_named(_WAIT_NAME))
        )
    )
    modal = tag == "dialog" or node.getattr("aria-modal") == "true"
    look.mount |= mount
    look.error |= is_named(_ERROR_NAME)
    look.search |= node.getattr("role", "") == "search"
    look.captcha |= part and is_named(_CAPTCHA_NAME)
    return _Around(
        around.frame
        or tag in _FRAME
        or node.getattr("role", "") in _FRAME_ROLE
        or (part and is_named(_FRAME_NAME)),
        around.link or tag in _LINK,
        around.form or tag == "form",
        around.consent or modal or (part and is_named(_CONSENT_NAME)),
        around.wall or (part and is_named(_WALL_NAME)),
        around.mount or mount,
    )


def _note(look: Look, node: _Node, tag: str, around: _Around) -> None:
    """What an element says by being there."""
    if tag in ("script", "iframe"):
        look.scripts += tag == "script"
        look.captcha |= bool(_CAPTCHA_SOURCE.search(node.getattr("src", "") or ""))
        if (node.getattr("type", "") or "").lower() == "application/ld+json":
            look.data.extend(_linked_data(node.text or ""))
        elif len(text := node.text or "") <= MOST_SCRIPT and (led := _LEADS.search(text)):
            look.leads = led[1] or led[2]
    elif tag == "noscript":
        look.noscript += f" {node.text or ''}"
    elif tag == "meta":
        names = (node.getattr(each, "") or "" for each in ("name", "property", "http-equiv"))
        if name := next(filter(None, names), ""):
            look.meta.setdefault(name.lower(), node.getattr("content", "") or "")
    elif tag == "link" and (node.getattr("rel", "") or "").lower() == "canonical":
        look.canonical = look.canonical or node.getattr("href", "") or ""
    elif around.frame:
        return
    elif tag == "a":
        look.links.append(node.getattr("href", "") or "")
    elif tag == "time":
        look.dated = True
    elif tag in ("button", "textarea"):
        look.buttons += tag == "button"
        look.fields += tag == "textarea"
    elif tag == "input":
        kind = (node.getattr("type", "text") or "text").lower()
        look.passwords += kind == "password"
        look.fields += kind in _FIELDS
        look.search |= kind == "search"
        look.buttons += kind in ("submit", "button")


def _linked_data(text: str) -> Iterable[dict[str, Json]]:
    """Every object of a JSON-LD document."""
    if len(text) > MOST_DATA:
        return
    try:
        waiting = [json.loads(text)]
    except (ValueError, RecursionError):
        return
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            yield value
            waiting.extend(value.values())
        elif isinstance(value, list):
            waiting.extend(value)
