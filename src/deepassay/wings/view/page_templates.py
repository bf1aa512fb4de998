"""The templates of the pages. Every value in them is escaped, and controls are made visible."""

from __future__ import annotations

from jinja2 import Environment, PackageLoader, StrictUndefined

from deepassay.results.page.cited_pages import CitedPage
from deepassay.text import visible_text, web_address
from deepassay.wings.view.links import changed, to


def room_pages() -> Environment:
    """The templates, with what they call: addresses of views, and texts cut short."""
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
        "short": _short,
        "host": lambda url: CitedPage("", 0, url).host,
        "web": web_address,
    }
    pages.globals |= {"to": to, "changed": changed}
    return pages


def _short(text: str, most: int) -> str:
    """The beginning of a text, on one line."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"
