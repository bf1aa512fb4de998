"""In which encoding a table was saved, where that is not UTF-8."""

from __future__ import annotations

import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from deepassay.files import BadFile, decode_text

if TYPE_CHECKING:
    from charset_normalizer import CharsetMatches

_EAST_ASIAN: Final = frozenset(
    {"gb18030", "gbk", "gb2312", "big5", "big5hkscs", "cp950", "cp932", "shift_jis", "euc_jp"}
    | {"shift_jis_2004", "euc_jis_2004", "cp949", "euc_kr"}
)
_ALPHABETS: Final = {
    "cp1252": (
        "äöüß",  # German
        "àâæçèéêëîïôœùûüÿ",  # French
        "áéíñóúü¿¡ªº",  # Spanish
        "àèéìíîòóù",  # Italian
        "àáâãçéêíóôõúüªº",  # Portuguese
        "åäöéæøü",  # Swedish, Danish, Norwegian
        "èéëïöü",  # Dutch
    ),
    "cp1250": (
        "ąćęłńóśźż",  # Polish
        "áčďéěíňóřšťúůýž",  # Czech
        "áäčďéíĺľňóôŕšťúýž",  # Slovak
        "áéíóöőúüű",  # Hungarian
        "ăâîşţ",  # Romanian
        "čćđšž",  # Croatian, Slovene
    ),
    "cp1251": ("абвгдеёжзийклмнопрстуфхцчшщъыьэюяіїєґў",),
    "cp1253": ("αβγδεζηθικλμνξοπρσςτυφχψωάέήίόύώϊϋ",),
    "cp1254": ("âçğıiöşüû", "âçğı̇öşüû"),
}
"""Letters beyond ASCII of the languages that are written in an encoding of Windows."""
_WESTERN: Final = "".join(_ALPHABETS["cp1252"])
_MIXED: Final = r"[A-Za-z][^\W\d_A-Za-z]|[^\W\d_A-Za-z][A-Za-z]"
_WRONG: Final = {
    "cp1251": re.compile(rf"{_MIXED}|[а-яё][А-ЯЁ]"),
    **dict.fromkeys(("cp1252", "cp1254"), re.compile(r"[¹²³][^\W\d_]|[^\W_][¿¡]")),
    "cp1253": re.compile(_MIXED),
}
"""What no word has: letters of two scripts, a capital or a mark inside."""
_EAST: Final = r"[\u2e80-\u9fff\uac00-\ud7af\uff00-\uffef]"
_RUN: Final = re.compile(rf"{_EAST}+")
_WITHIN: Final = re.compile(rf"[A-Za-z]{_EAST}(?!{_EAST})|(?<!{_EAST}){_EAST}[A-Za-z]")
_COMMON: Final = ("gb18030", "big5hkscs", "cp932", "cp949")
_SHOWN: Final = 3
"""Encodings that a message shows."""
_OF_ICONV: Final = {
    "BIG5HKSCS": "BIG5-HKSCS",
    "EUC_JP": "EUC-JP",
    "EUC_KR": "EUC-KR",
    "SHIFT_JIS_2004": "SHIFT_JISX0213",
    "EUC_JIS_2004": "EUC-JISX0213",
}
_MARKS: Final = frozenset("“”„‘’‚«»‹›–—…•·°§€£¥©®™²³¹½¼¾±×÷µ¶† \xad")


def text_of(raw: bytes) -> tuple[str, str]:
    """The text of a table, and its encoding; a byte order mark is no part of it.

    UTF-8 and UTF-16 are certain. East Asian encodings are told by statistics; of those with a byte
    a letter one is taken if the letters in it are of one language, and no other has that. Raises
    BadFile where none or several fit: to guess would change words.
    """
    if raw.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        return _decoded(raw, "utf-16").removeprefix("\ufeff"), "utf-16"
    if raw[:200].count(0) * 3 > len(raw[:200]):
        little = raw[1:200:2].count(0) >= raw[:200:2].count(0)
        encoding = "utf-16-le" if little else "utf-16-be"
        return _decoded(raw, encoding), encoding
    try:
        return decode_text(raw).removeprefix("\ufeff"), "utf-8"
    except BadFile:
        pass
    from charset_normalizer import from_bytes

    fitting = {text: name for name, of in _ALPHABETS.items() if (text := _within(raw, name, of))}
    if not fitting and (text := _within(raw, "cp1252", (_WESTERN,))):  # of several languages
        fitting[text] = "cp1252"
    found = from_bytes(raw)
    likely = found.best()
    if likely is not None and likely.encoding in _EAST_ASIAN and _is_east_asian(str(likely)):
        fitting[str(likely)] = likely.encoding
    if len(fitting) == 1:
        return next(iter(fitting.items()))
    several = {name: text for text, name in fitting.items()}
    return _refused(raw, several or _readings(raw, found))


def _is_east_asian(text: str) -> bool:
    """Whether characters are most of what is not ASCII, and no letters within other words.

    A character that no standard has is one of another encoding.
    """
    if any("\ue000" <= each <= "\uf8ff" for each in text):
        return False
    runs = _RUN.findall(text)
    odd = sum(not each.isascii() for each in text)
    return sum(map(len, runs)) > 0.8 * odd and len(_WITHIN.findall(text)) * 4 <= len(runs)


def _decoded(raw: bytes, encoding: str) -> str:
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError as error:
        raise BadFile("UTF-16 that breaks off", "Save it again, as UTF-8.", 1) from error


def _within(raw: bytes, encoding: str, alphabets: Sequence[str]) -> str:
    """The text in this encoding if its letters are of one of these alphabets; else nothing."""
    try:
        text = raw.decode(encoding)
    except UnicodeDecodeError:
        return ""
    odd = {each for each in text.lower() if not each.isascii()} - _MARKS
    if (wrong := _WRONG.get(encoding)) and wrong.search(text):
        return ""
    return text if any(odd <= {*each} for each in alphabets) else ""


def _refused(raw: bytes, readings: dict[str, str]) -> tuple[str, str]:
    """Raise BadFile, with a word as it would be read. readings: the text by what it may be."""
    try:
        decode_text(raw)
    except BadFile as error:
        shown = " or ".join(
            f"{_called(name).lower()} ({_odd_word(text)})" for name, text in readings.items()
        )
        which = f"; it may be {shown}" if shown else ""
        code = _called(next(iter(readings), ""))
        convert = f": iconv -f {code} -t UTF-8 FILE > NEW" if code else " from what it is in"
        raise BadFile(
            f"{error.problem}, and its encoding is not certain{which}",
            f"Save it as UTF-8 (in Excel: `CSV UTF-8`), or convert it{convert}",
            error.line,
        ) from None
    raise AssertionError("it is UTF-8")


def _readings(raw: bytes, found: CharsetMatches) -> dict[str, str]:
    """The text in those encodings in which all of it can be read, likeliest first."""
    names = [name for match in found for name in match.could_be_from_charset]
    names = [each for each in names if each in _ALPHABETS or each in _EAST_ASIAN]
    texts: dict[str, str] = {}
    for name in dict.fromkeys((*names, *_ALPHABETS, *_COMMON)):
        with suppress(UnicodeDecodeError):
            texts.setdefault(raw.decode(name), name)
    likely = sorted(texts.items(), key=lambda each: _odd_share(*each))
    return {name: text for text, name in likely[:_SHOWN]}


def _odd_share(text: str, encoding: str) -> float:
    """How much of what is not ASCII is not written in this encoding, or stands within a word."""
    there = [each for each in text.lower() if not each.isascii()]
    if of := _ALPHABETS.get(encoding):
        known = {*"".join(of)} | _MARKS
        strange = sum(each not in known for each in there)
        wrong = len(wrong_at.findall(text)) if (wrong_at := _WRONG.get(encoding)) else 0
    else:
        strange = sum(not (each in _MARKS or _RUN.match(each)) for each in there)
        wrong = len(_WITHIN.findall(text))
    return (strange + wrong) / max(len(there), 1)


def _called(encoding: str) -> str:
    """An encoding as `iconv` calls it."""
    name = re.sub(r"\Acp(?=125)", "windows-", encoding).upper()
    return _OF_ICONV.get(name, name)


def _odd_word(text: str) -> str:
    words = re.split(r"[\s,;|\"]+", text)
    return next((word for word in words if not word.isascii()), "")[:40]
