"""A plain agent in one file: it searches once, opens three pages and quotes what shares most words.

Called as: grep_agent.py PROMPT_FILE OUT_FILE SEARCH, where SEARCH is the address of a SearXNG or of
`deepassay sandbox`. It needs nothing but Python.
"""

from __future__ import annotations

import json
import re
import sys
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

PAGES = 3
SENTENCES = 4

WORD = re.compile(r"[A-Za-z0-9]{3,}|[\u4e00-\u9fff]{2}")
SENTENCE = re.compile(r"[^.!?。！？\n]{20,400}[.!?。！？]")
TAG = re.compile(r"(?s)<(script|style|head)\b.*?</\1>|<!--.*?-->|<[^>]+>")


def get(address: str) -> str | None:
    """What an address serves, as text, or None."""
    try:
        with urllib.request.urlopen(address, timeout=30) as answer:
            return answer.read().decode("utf-8", "replace")
    except urllib.error.HTTPError:
        return None


def words(text: str) -> set[str]:
    """The words of a text, of Chinese every second pair of characters."""
    return {word.lower() for word in WORD.findall(text)}


def best(text: str, wanted: set[str]) -> list[str]:
    """The sentences that share most words with the prompt, in their order on the page."""
    found = [" ".join(each.split()) for each in SENTENCE.findall(TAG.sub(" ", text))]
    ranked = sorted(found, key=lambda each: (-len(words(each) & wanted), found.index(each)))
    return [each for each in found if each in ranked[:SENTENCES]]


def main(prompt_file: str, out_file: str, search: str) -> None:
    """Answer a prompt."""
    prompt = Path(prompt_file).read_text(encoding="utf-8")
    query = urllib.parse.urlencode({"q": prompt[:400], "format": "json"})
    hits = json.loads(get(f"{search}/search?{query}") or '{"results": []}')["results"]
    lines, sources = [], []
    for hit in hits:
        page = get(hit["url"])
        if page is None or len(sources) == PAGES:
            continue
        sources.append(hit)
        number = len(sources)
        quotes = [f"{each[:-1]} [{number}]{each[-1]}" for each in best(page, words(prompt))]
        lines += [f"## {hit['title']}", "", *quotes, ""]
    listed = [f"[{n}] {each['title']}. {each['url']}" for n, each in enumerate(sources, 1)]
    text = "\n".join(["# Findings", "", *lines, "## References", "", *listed, ""])
    Path(out_file).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
