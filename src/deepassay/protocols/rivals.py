"""Words of a statement in whose stead a passage has another word of the same kind.

Kinds are closed sets of a language: months, units, parts of the day, points of the compass, words
for how many. That a word is merely missing says little; that its rival stands there says much.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from deepassay.protocols.passages import Stretch

_KINDS = """
january | february | march | april | may | june | july | august | september | october | november | december
monday mondays | tuesday tuesdays | wednesday wednesdays | thursday thursdays | friday fridays | saturday saturdays | sunday sundays
spring springs | summer summers | autumn autumns fall | winter winters
second seconds | minute minutes | hour hours hourly | day days daily | week weeks weekly fortnight | month months monthly | year years yearly annual annually | decade decades | century centuries
millisecond milliseconds ms | microsecond microseconds | second seconds | nanosecond nanoseconds
microgram micrograms µg μg mcg | milligram milligrams mg | gram grams g | kilogram kilograms kg | tonne tonnes ton tons
kilowatt kilowatts kw kwh | megawatt megawatts mw mwh | gigawatt gigawatts gw gwh | terawatt terawatts tw twh
millimetre millimetres millimeter millimeters mm | centimetre centimetres centimeter centimeters cm | metre metres meter meters | kilometre kilometres kilometer kilometers km | mile miles | foot feet | inch inches | yard yards
litre litres liter liters | millilitre millilitres milliliter milliliters ml | gallon gallons
kilobyte kilobytes kb | megabyte megabytes mb | gigabyte gigabytes gb | terabyte terabytes tb
dollar dollars usd | euro euros eur | pound pounds gbp | yuan rmb | yen
north northern northward | south southern southward
east eastern eastward | west western westward
first | second | third | fourth | fifth | sixth | seventh | eighth | ninth | tenth
man men male males he his | woman women female females she her
boy boys son sons | girl girls daughter daughters
mother mothers | father fathers
brother brothers | sister sisters
husband husbands | wife wives
home | away
morning mornings | afternoon afternoons | evening evenings | night nights
adult adults | child children
primary | secondary | tertiary
oldest eldest | youngest
upper | lower
inner | outer
left | right
indoors indoor | outdoors outdoor
rural | urban
mean average | median | maximum greatest highest largest | minimum smallest lowest
best | worst
everyone everybody everything | nobody nothing
always | never | sometimes occasionally | often usually frequently | rarely seldom hardly
all | none
before | after
until | since
minimum least | maximum most
automatically | manually
directly | indirectly
internal | external
free | paid
"""
_KINDS_HAN = """
春季 春天 | 夏季 夏天 | 秋季 秋天 | 冬季 冬天
每秒 | 每分钟 | 每小时 每时 | 每天 每日 日均 | 每周 | 每月 月均 | 每年 年均
每股 | 每十股 每10股
上午 早晨 | 下午 | 晚上 夜间
上半年 | 下半年
东部 东侧 以东 东端 东起 | 西部 西侧 以西 西端 西起
南部 南侧 以南 南岸 | 北部 北侧 以北 北岸
男性 男子 男孩 | 女性 女子 女孩
父亲 | 母亲
首次 首个 第一 | 第二 | 第三 | 第四 | 第五
一级 | 二级 | 三级 | 四级
平均 均值 | 中位 | 最高 最大 | 最低 最小
高峰 | 平峰 低谷
之前 以前 此前 | 之后 以后 此后
所有 全部 全体 | 部分 少数 个别 一些
多数 大多 | 少数
当年 | 次年 翌年 | 上年 去年
免费 | 自费 收费
城市 城镇 | 农村 乡村
毫秒 | 微秒
毫克 | 微克
毫米 | 厘米 | 公里 千米 | 英尺 | 英里
"""


def _kinds(written: str) -> list[list[frozenset[str]]]:
    return [
        [frozenset(member.split()) for member in line.split("|")]
        for line in written.strip().splitlines()
    ]


KINDS: Final = _kinds(_KINDS)
KINDS_HAN: Final = _kinds(_KINDS_HAN)
_STRONG = re.compile(
    r"\b(?:prov(?:e|es|ed|en)|establish(?:es|ed)?|confirm\w{0,4}|guarante\w{1,3}|caus(?:e|es|ed)|"
    r"definitive\w{0,2}|conclusive\w{0,2}|always|solely)\b|"
    r"证明|证实|确认|已被|肯定|一定|必然",
    re.IGNORECASE,
)
_WORD = re.compile(r"[a-zµμ]+")


def rivals(said: Stretch, clause: Stretch, passage: Stretch) -> Iterator[tuple[str, str]]:
    """Words of a statement that a passage lacks, each with its rival in the nearest clause.

    Units behind a number are left out: the number tells.
    """
    here, there = _words(said), _words(clause)
    anywhere = {word.lower() for word in _WORD.findall(passage.text.lower())}
    for kind in KINDS:
        lost = [one & here for one in kind if one & here and not one & anywhere]
        new = [one & there for one in kind if one & there and not one & here]
        if lost and new:
            yield min(lost[0]), min(new[0])
    for kind in KINDS_HAN:
        lost = [_first(one, said.text) for one in kind if not _first(one, passage.text)]
        new = [_first(one, clause.text) for one in kind if not _first(one, said.text)]
        if any(lost) and any(new):
            yield max(lost), max(new)


def _words(text: Stretch) -> set[str]:
    counted = [range(figure.start, figure.end + 1) for figure in text.figures]
    return {
        found[0]
        for found in _WORD.finditer(text.text.lower())
        if not any(found.start() in figure for figure in counted)
    }


def _first(words: frozenset[str], text: str) -> str:
    return next((word for word in sorted(words) if word in text), "")


def stronger(said: str, passage: str) -> str:
    """A word of a statement that claims more than the passage, which has no such word: or ""."""
    found = _STRONG.search(said)
    return found[0] if found and not _STRONG.search(passage) else ""
