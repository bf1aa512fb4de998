"""The words of a text that carry its subject, as far as they can be told without a model."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from deepassay.tasks.dates import Language
from deepassay.text import HAN, IN_EVERY_TEXT

_WORD = re.compile(rf"[^\W_{HAN}]+")
_HAN = re.compile(rf"[{HAN}]+")

SHORTEST: Final = 4
"""Letters of an English word that can carry a subject."""

_STEM: Final = 6
"""Letters by which forms of an English word are taken for the same."""

_FUNCTION_WORDS: Final = IN_EVERY_TEXT | frozenset(  # of four letters and more
    """
    actually again against almost along already although always among another around away back
    basically because before being below between came cannot come comes different doing done
    down during else enough even ever everything find fine first gave gets getting give goes
    going gone good great having here however itself just keep kind know known large last later
    less like likely little long look looked looking make makes making many maybe mean means
    much myself need never next nobody nothing often once only others ought ourselves people
    perhaps please point possible probably quite rather really right same says second seem seems
    seen several shall show shows simply since small somebody someone something sometimes
    somewhere sort still sure take taken tell themselves thing things think though thought three
    through thus time times together told took toward true trying turn twice unless until upon
    used useful uses using usually very want wants well went whole whom without word words year
    years your yours
    """.split()  # noqa: SIM905 - so it can be read
)

_RESEARCH_WORDS: Final = frozenset(
    """
    analyse analysis analyze approach article assess compare comparison data dataset deliver
    deliverable design develop evaluate evidence experiment find finding findings identify
    literature list method methods paper papers present problem produce project propose provide
    question questions report research researcher researchers result results review source sources
    studies study survey table task test tests topic write written
    """.split()  # noqa: SIM905
)

_FUNCTION_CHARACTERS: Final = frozenset(
    "的了是在和与也都就而及着或被把这那个我你他她它们有不没很会能要说们来去到上下为之其以所于对从"
)

_CHINESE_RESEARCH_WORDS: Final = frozenset(
    """
    研究 问题 方法 数据 分析 报告 任务 设计 评估 文献 结果 提交 比较 可以 因为 如果 可能 现在 怎么
    什么 知道 觉得 一些 一种 一下 这样 自己 已经 还是 但是 所以 然后 需要
    """.split()  # noqa: SIM905
)


def key_words(text: str, language: Language) -> dict[str, str]:
    """What carries the subject, each with the form that stands first in the text.

    English: words of at least four letters that nearly every text about research does not have,
    under their first six letters. Chinese: pairs of neighbouring characters, and Latin words.
    """
    found: dict[str, str] = {}
    for key, form in keyed(text, language):
        found.setdefault(key, form)
    return found


def keyed(text: str, language: Language) -> Iterator[tuple[str, str]]:
    """Every word that `key_words` takes, in the order of the text, as key and form."""
    for word in _WORD.findall(text):
        plain = word.casefold()
        if len(plain) < SHORTEST or plain in _FUNCTION_WORDS or plain in _RESEARCH_WORDS:
            continue
        if len(plain) > SHORTEST and plain.endswith("s") and not plain.endswith("ss"):
            plain = plain[:-1]
        yield plain[:_STEM], word
    if language == "zh":
        for run in _HAN.findall(text):
            for pair in map("".join, pairwise(run)):
                if _FUNCTION_CHARACTERS.isdisjoint(pair) and pair not in _CHINESE_RESEARCH_WORDS:
                    yield pair, pair
