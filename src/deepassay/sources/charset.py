"""Bytes of a page as text: which charset they are in, whatever is said of it."""

from __future__ import annotations

import codecs
import re

from charset_normalizer import from_bytes

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_HEADER = re.compile(r"charset\s{0,9}=\s{0,9}[\"']?([\w.:-]{2,40})", re.IGNORECASE)
_META = re.compile(
    rb"<meta[^>]{0,300}?charset\s{0,9}=\s{0,9}[\"']?([\w.:-]{2,40})"
    rb"|<\?xml[^>]{0,200}?encoding\s{0,9}=\s{0,9}[\"']([\w.:-]{2,40})",
    re.IGNORECASE,
)
_META_WITHIN = 4096  # bytes: browsers look no further than a quarter of it
_SAMPLE = 65_536  # bytes to guess from: the guess is slow

# Pages are often written in a superset of what they declare; every browser reads them so.
_SUPERSETS = {
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "big5": "big5hkscs",
    "euc_kr": "cp949",
    "shift_jis": "cp932",
    "iso8859-1": "cp1252",
    "ascii": "cp1252",
}
# Not charsets of the web: slow, or said of a page whose markup could then not have been read.
_NEVER = re.compile("idna|punycode|unicode.escape|raw.unicode.escape|utf-7|utf-16|utf-32|undefined")


def decode(body: bytes, content_type: str = "") -> str:
    """The text of a body, without its byte order mark. Never raises.

    In this order: byte order mark, `charset` of the content type, `<meta>` or the XML
    declaration in the first 4 kB, strict UTF-8, a guess. A declared charset under which more
    than one character in a thousand is no character is not believed.
    """
    for mark, name in _BOMS:
        if body.startswith(mark):
            return body[len(mark) :].decode(name, "replace")
    declared = [found for found in (_in_header(content_type), _in_markup(body)) if found]
    for name in declared:
        text = body.decode(name, "replace")
        if name == "cp1252" and (better := _strict_utf8(body)) is not None:
            return better  # any bytes are cp1252, by chance few are UTF-8; servers say it by habit
        if text.count("\ufffd") <= max(1, len(text) // 1000):
            return text
    if (plain := _strict_utf8(body)) is not None:
        return plain
    return body.decode(_guess(body) or (declared or ["utf-8"])[0], "replace")


def _in_header(content_type: str) -> str | None:
    found = _HEADER.search(content_type[:1000])
    return _codec(found.group(1)) if found else None


def _in_markup(body: bytes) -> str | None:
    found = _META.search(body[:_META_WITHIN])
    return _codec((found.group(1) or found.group(2)).decode("ascii", "replace")) if found else None


def _codec(label: str) -> str | None:
    """The codec that reads what is declared under a label, or None for an unknown one."""
    try:
        name = codecs.lookup(label).name
        b" ".decode(name, "replace")  # refuses zip, hex and other codecs that give no text
    except (LookupError, ValueError):
        return None
    return None if _NEVER.match(name) else _SUPERSETS.get(name, name)


def _strict_utf8(body: bytes) -> str | None:
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _guess(body: bytes) -> str | None:
    best = from_bytes(body[:_SAMPLE]).best()
    return _codec(best.encoding) if best else None
