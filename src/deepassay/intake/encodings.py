"""In which encoding a table was saved, where that is not UTF-8."""

from __future__ import annotations

import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Sequence
from typing import Final

from deepassay.files import BadFile, decode_text

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
    likely = from_bytes(raw).best()
    if likely is not None and likely.encoding in _EAST_ASIAN and _is_east_asian(str(likely)):
        fitting[str(likely)] = likely.encoding
    if len(fitting) == 1:
        return next(iter(fitting.items()))
    return _refused(raw, {name: text for text, name in fitting.items()})


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


def _refused(raw: bytes, fitting: dict[str, str]) -> tuple[str, str]:
    """Raise BadFile, with a word as it would be read. fitting: the text by what it may be."""
    try:
        decode_text(raw)
    except BadFile as error:
        called = {name.replace("cp", "windows-"): text for name, text in fitting.items()}
        shown = " or ".join(f"{name} ({_odd_word(text)})" for name, text in called.items())
        which = f"; it may be {shown}" if shown else ""
        code = next((f": iconv -f {name.upper()} -t UTF-8 FILE > NEW" for name in called), "")
        raise BadFile(
            f"{error.problem}, and its encoding is not certain{which}",
            "Save it as UTF-8 (in Excel: `CSV UTF-8`), or convert it"
            f"{code or ' with iconv from the encoding that it has'}",
            error.line,
        ) from None
    raise AssertionError("it is UTF-8")


def _odd_word(text: str) -> str:
    words = re.split(r"[\s,;|\"]+", text)
    return next((word for word in words if not word.isascii()), "")[:40]
