"""What turns a statement into its opposite: negations and words of opposite meaning.

A baseline by word lists. It knows the common ways to deny and the common pairs of opposites,
English and Chinese; irony, modality and knowledge of the world are beyond it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from deepassay.protocols.alignment.passages import Term
from deepassay.protocols.alignment.stems import stem
from deepassay.protocols.alignment.synonyms import canonical

REACH: Final = 2
"""Content words after a negation that it may deny, up to the end of its clause."""

_NEGATION = re.compile(
    r"\b(?:not(?! only)|no(?! longer than| later than|\.)|never|neither|nor|without|cannot|"
    r"fail(?:s|ed|ing|ure)?|lack(?:s|ed|ing)?|absence|unable|unlikely|none|nobody|nothing|"
    r"hardly|rarely|barely|den(?:y|ies|ied|ying)|refus\w{1,4}|instead of|rather than|"
    r"rul(?:e|es|ed|ing) out|disprov\w{1,4}|refut\w{1,4})\b|\bnon-(?=[a-z])|\b\w{2,7}n['’]t\b|"
    r"并非|并未|并没有|尚未|从未|未能|未曾|没有|无法|不能|不会|不得|不是|不再|否认|拒绝|避免|缺乏|"
    r"(?<![从])未(?!来|必)|没(?!有)|(?<![差])不(?!同|断|仅|少|但|过|久|止|论|管|只|得不|可或缺|错)|"
    r"(?<![专])无(?!论|线|人机|疑|数|限)|毫无|非(?=法|必|主)",
    re.IGNORECASE,
)
_CLAUSE_END = re.compile(
    r"[.;:!?。；！？，：]|,(?!\d)|\b(?:but|although|though|whereas|while|however|because)\b|但|而是|然而"
)

_OPPOSITES = """
    increase rise grow climb gain expand raise surge up higher improve boost upward
        | decrease fall decline drop shrink reduce lower down cut diminish lose worsen slump
    increase decrease rise fall grow change improve worsen raise reduce
        | unchanged stable steady constant
    more greater larger bigger above over exceed | less fewer smaller below under
    higher above | lower below
    before earlier prior precede | after later following follow subsequent
    maximum most highest largest | minimum least lowest smallest
    best | worst
    better | worse
    always | never
    success succeed successful | fail failure unsuccessful
    accept approve allow permit adopt | reject ban prohibit forbid refuse
    win won victory | lose lost defeat loss
    strong stronger strengthen | weak weaker weaken
    fast faster accelerate quick quicker rapid | slow slower decelerate slowly
    cheap cheaper | expensive costly
    safe | dangerous unsafe
    support supports favor | oppose opposes opposed against
    positive positively | negative negatively
    legal | illegal
    north northern | south southern
    east eastern | west western
    import imports | export exports
    hot hotter warm warmer | cold colder cool cooler
    long longer | short shorter
    majority | minority
    mandatory required compulsory | optional voluntary
    buy bought acquire purchase | sell sold
    public | private
    old older oldest | new newer newest young younger
    open opened | close closed
    begin began start started | end ended finish finished cease ceased
    profit profits surplus | loss losses deficit
    high | low
    dense | sparse
    wider widen | narrower narrow
    first | last
    all every | none
    include includes | exclude excludes
    enter join joined | leave left exit withdraw
    presence present | absence absent
    simple easy | complex difficult
    heavier heavy | lighter light
    rich wealthy | poor
"""
_OPPOSITES_HAN = """
    上升 增长 增加 提高 上涨 提升 扩大 增强 攀升 高出 多出 偏高 大增
        | 下降 减少 降低 下跌 下滑 缩小 减弱 萎缩 回落 少了 低了 偏低
    更重 较重 偏重 重了 | 更轻 较轻 偏轻 轻了
    更长 较长 | 更短 较短
    更贵 较贵 贵了 | 更便宜 较便宜 便宜了
    更好 较好 好一些 | 更差 较差 差一些
    高于 超过 多于 大于 | 低于 少于 小于 不足
    之前 以前 早于 | 之后 以后 晚于
    最高 最大 最多 | 最低 最小 最少
    更高 较高 更多 更大 | 更低 较低 更少 更小
    优于 好于 | 劣于 差于 逊于
    成功 | 失败
    允许 批准 同意 | 禁止 拒绝 反对
    支持 赞成 | 反对
    进口 | 出口
    盈利 盈余 | 亏损 赤字
    加快 加速 更快 | 放缓 减速 更慢 减慢
    正相关 | 负相关
    扩张 | 收缩
    开始 | 结束
    合法 | 非法
    必须 强制 | 自愿 可选
    买入 收购 | 卖出 出售
    强 较强 | 弱 较弱
    安全 | 危险
    东部 | 西部
    南部 | 北部
    多数 | 少数
    改善 | 恶化
    首次 第一 | 最后
"""


def _sides(written: str) -> list[tuple[frozenset[str], frozenset[str]]]:
    """The pairs of opposites of a list, a line each."""
    pairs = []
    for line in filter(None, map(str.strip, re.sub(r"\n\s*\|", " |", written).splitlines())):
        one, other = (frozenset(side.split()) for side in line.split("|"))
        pairs.append((one, other))
    return pairs


def _stems(side: frozenset[str]) -> frozenset[str]:
    return frozenset(stem(word) for word in side) | side


LATIN: Final = [(_stems(one), _stems(other)) for one, other in _sides(_OPPOSITES)]
HAN: Final = _sides(_OPPOSITES_HAN)

_SAID_OF_ONE = """
    increase unchanged exceed success accept win strong fast cheap safe support positive legal
    mandatory profit join rich improve dense 上升 高于 成功 允许 支持 盈利 加快 正相关 扩张 合法
    必须 强 安全 改善
"""
ASSERTED: Final = frozenset(
    number
    for number, (one, other) in enumerate([*LATIN, *HAN])
    if (one | other) & frozenset(_SAID_OF_ONE.split())
)
"""Numbers of the pairs of opposites that are said of one thing; others, as north and south,
import and export, tell two things apart."""

_SAME_SIDE: Final = {
    canonical(stem(word)): frozenset(canonical(stem(other)) for other in side)
    for sides in LATIN[:1]
    for side in sides
    for word in side
} | {word: side for sides in HAN[:1] for side in sides for word in side}

_WORD = re.compile(r"[A-Za-z]+")
_NO_CHANGE = re.compile(
    r"\b(?:not? (?:significant(?:ly)? )?change[sd]?|no effect)\b", re.IGNORECASE
)
_GUESS = re.compile(
    r"\b(?:could|might|possibl[ey]|perhaps|believ\w{1,3}|hop(?:e|es|ed|ing)|claim\w{0,3}|unclear|"
    r"speculat\w{1,4})\b|可能|或许|也许|有望|据称|尚不清楚|似乎",
    re.IGNORECASE,
)
_RESERVE = re.compile(
    r"\b(?:may|would|should|suggest\w{0,3}|if|expect\w{0,3}|likely|potential\w{0,2}|think\w{0,1}|"
    r"estimat\w{1,3}|seems?|appears?|according|view|says?|said)\b|预计|预期|计划|认为|如果|表示|据",
    re.IGNORECASE,
)


def overstated(statement: str, text: str) -> bool:
    """Whether a text gives as a guess or an opinion what a statement gives without reserve."""
    reserve = _GUESS.search(statement) or _RESERVE.search(statement)
    return bool(_GUESS.search(text)) and not reserve


def denied(text: str, found: Sequence[Term]) -> frozenset[int]:
    """Positions in `found`, the terms of `text`, that a negation denies; two cancel out."""
    result: set[int] = set()
    ends = [end.start() for end in _CLAUSE_END.finditer(text)]
    at = 0
    for negation in _NEGATION.finditer(text):
        limit = next((end for end in ends if end >= negation.end()), len(text))
        while at < len(found) and found[at].start < negation.end():
            at += 1
        reached = [i for i in range(at, min(at + REACH, len(found))) if found[i].start < limit]
        result.symmetric_difference_update(reached)
    return frozenset(result)


def denies(text: str) -> bool:
    """Whether there is any negation in a text."""
    return bool(_NEGATION.search(text))


def negations(text: str) -> int:
    """How many negations there are in a text."""
    return len(_NEGATION.findall(text))


def directions(text: str) -> dict[int, bool]:
    """Pairs of opposites of which `text` uses just one side: which side, by number of the pair."""
    words = {word.lower() for word in _WORD.findall(_NO_CHANGE.sub(" unchanged ", text))}
    words |= {stem(word) for word in words}
    used = [(bool(words & one), bool(words & other)) for one, other in LATIN]
    for one, other in HAN:
        used.append((any(word in text for word in one), any(word in text for word in other)))
    return {number: one for number, (one, other) in enumerate(used) if one != other}


def same_side(key: str) -> frozenset[str]:
    """Terms that point the same way as a term: for `rose`, that of `grew` too."""
    return _SAME_SIDE.get(key, frozenset())


_PREFIXES: Final = ("un", "non", "in", "im", "dis")


def affirmed(key: str) -> Iterator[str]:
    """A term without a prefix that denies it, if it may have one: `unchang` -> `chang`."""
    for prefix in _PREFIXES:
        if key.startswith(prefix) and len(key) - len(prefix) >= 4:
            yield key.removeprefix(prefix)
