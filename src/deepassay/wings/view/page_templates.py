"""The templates of the pages. Every value in them is escaped, and controls are made visible."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from deepassay.glossary import hint
from deepassay.text import one_line, visible_text, web_address
from deepassay.wings.view.cited_pages import shown_host
from deepassay.wings.view.judges import judges_in_words
from deepassay.wings.view.links import Links, firsts

_CODE: Final = re.compile("`([^`]+)`")


@cache
def room_pages(links: Links) -> Environment:
    """The templates, with what they call: addresses of views, and texts cut short.

    Made once for the same links: compiling the templates takes as long as filling them does.
    """
    pages = Environment(
        loader=PackageLoader("deepassay.wings.view", "pages"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=visible_text,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    pages.filters |= {
        "words": lambda cause: str(cause).replace("_", " "),
        "short": one_line,
        "host": shown_host,
        "web": web_address,
        "hint": hint,
        "breakable": _breakable,
        "coded": _coded,
        "firsts": lambda rows: [*firsts(row.at for row in rows)],
        "judge": lambda judges: judges_in_words([str(judges)]),
    }
    pages.globals |= {"to": links.to, "changed": links.changed, "served": links.served}
    return pages


def _breakable(name: str) -> Markup:
    """A protocol that may go on in the next line where its options begin."""
    return Markup("(<wbr>").join(escape(visible_text(part)) for part in name.split("("))


def _coded(sentence: str) -> Markup:
    """A sentence of ours, in which what stands between backticks is code."""
    # A plain text: of one that is marked as safe, Python 3.11 would have the tags escaped too.
    return Markup(_CODE.sub(r"<code>\1</code>", str(escape(visible_text(sentence)))))
