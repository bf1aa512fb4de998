"""English words without their endings, and the words that say nothing by themselves."""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import Final

from deepassay.text import IN_EVERY_TEXT

_FUNCTION = """
    according again against almost already although always am among around became because before
    being below between cannot describe described describes doing down during enough etc even
    ever explicitly few further get gets give gives having he her here hers herself him himself
    his however i instead itself just less like make makes many me might much my neither nor
    note noted notes now off often once only onto others our ours own quite rather really report
    reported reports same says shall she since so state stated states theirs themselves
    therefore though through thus too toward towards until upon us use used using very via we
    well whom without yet you your yours
"""
FUNCTION_WORDS: Final = IN_EVERY_TEXT | frozenset(_FUNCTION.split())
"""English words that a passage may lack and still say the same; polarity reads some of them."""

_WRITTEN = """
    rose:rise risen:rise fell:fall fallen:fall grew:grow grown:grow won:win held:hold led:lead
    began:begin begun:begin wrote:write written:write built:build paid:pay sold:sell bought:buy
    took:take taken:take gave:give chose:choose chosen:choose lost:lose loss:lose losses:lose
    beat:beat beaten:beat found:find kept:keep met:meet ran:run shown:show sank:sink spent:spend
    came:come left:leave men:man women:woman children:child people:person lives:life died:die
    dying:die brought:bring thought:think taught:teach sent:send drew:draw drawn:draw drove:drive
    driven:drive spoke:speak spoken:speak broke:break broken:break better:good best:good lain:lie
    analyses:analysis criteria:criterion phenomena:phenomenon data:data larger:large largest:large
    higher:high highest:high lower:low lowest:low growth:grow proof:prove death:die sale:sell
    sales:sell analysed:analysis analyzed:analysis analyse:analysis analyze:analysis
    """
_IRREGULAR: Final = dict(pair.split(":") for pair in _WRITTEN.split())
_WRITTEN_ENDINGS = """
    ations ation ators ator ational ating ated ates ate izations ization izing ized izes ize
    isations isation ising ised ises ise ments ment nesses ness ings ing edly ed ers er ors or
    ions ion ities ity ives ive ically ical ics ic ally als al ly ances ance ences ence ants ant
    ents ent ables able ibles ible enced encing anced ancing es s e ies ied ys y
"""
_ENDINGS: Final = tuple(sorted(_WRITTEN_ENDINGS.split(), key=len, reverse=True))


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """A lower-case word without endings: `measurements`, `measured` -> `measur`."""
    if not word.isascii():
        parts = unicodedata.normalize("NFKD", word)
        word = "".join(char for char in parts if not unicodedata.combining(char))
    word = word.split("'")[0].split("’")[0]
    word = _IRREGULAR.get(word, word)
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= (3 if len(ending) < 4 else 4):
            word = word[: -len(ending)]
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "aeiou":
        word = word[:-1]
    return word.replace("our", "or") if len(word) > 4 else word
