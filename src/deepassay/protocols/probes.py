from deepassay.protocols import attributions as at
from deepassay.protocols import contradictions as c
from deepassay.protocols.exchanges import exchanged_runs
from deepassay.protocols.passages import Stretch


def _j(passage):
    return Stretch(" ".join(p.text for p in passage))


def core(said, passage):
    return max(passage, key=said.likeness)


def exch(said, passage):
    return exchanged_runs(said, core(said, passage)) or exchanged_runs(said, _j(passage))


def num(said, passage):
    return [d.reason for d in at.doubts_of_numbers(said, passage, core(said, passage))]


def name(said, passage):
    return [d.reason for d in at.doubts_of_names(said, passage, core(said, passage))]


def turned(said, passage):
    return c._directions(said, c._clause(said, core(said, passage)))


def turnedcore(said, passage):
    return c._directions(said, core(said, passage))


def oldex(said, passage):
    return c._exchanged(said, core(said, passage))


def denial(said, passage):
    return c._denial(said, c._clause(said, core(said, passage)), core(said, passage))


def over(said, passage):
    return c.overstated(said.text, c._clause(said, core(said, passage)).text)


def overcore(said, passage):
    return c.overstated(said.text, _j(passage).text)


def like(k):
    def f(said, passage):
        return said.shared(core(said, passage)) >= 0.5 and k(said, passage)

    return f


for k in ["num", "name", "turned", "turnedcore", "oldex", "denial", "over", "overcore"]:
    globals()["l" + k] = like(globals()[k])
import re

from deepassay.protocols import polarity as po
from deepassay.protocols import rivals as rv


def clause(said, passage):
    return c._clause(said, core(said, passage))


def riv(said, passage):
    return list(rv.rivals(said, clause(said, passage), _j(passage).text))


def rivcore(said, passage):
    return list(rv.rivals(said, core(said, passage), _j(passage).text))


def foreign(said, passage):
    co = core(said, passage)
    n = [
        t
        for t in said.terms
        if t.capital
        and t.key not in co.places
        and (t.start or any(t.key in p.names for p in passage))
    ]
    m = [t for t in co.terms if t.capital and t.start and t.key not in said.places]
    if n and m:
        return said.text[n[0].start : n[0].end], co.text[m[0].start : m[0].end]


def foreign6(said, passage):
    co = core(said, passage)
    r = foreign(said, passage)
    ks = [k for k in said.places if k not in said.names]
    return sum(k in co.places for k in ks) >= 0.6 * len(ks) and r


def neg(text):
    return bool(po._NEGATION.search(text))


def den2(said, passage):
    return neg(said.text) != neg(clause(said, passage).text) and denial(said, passage)


def den3(said, passage):
    return (
        neg(said.text) != neg(clause(said, passage).text)
        and neg(said.text) != neg(core(said, passage).text)
        and denial(said, passage)
    )


def den4(said, passage):
    return (
        neg(said.text) != neg(clause(said, passage).text)
        and said.shared(clause(said, passage)) >= 0.5
    )


def den5(said, passage):
    return neg(said.text) != neg(_j(passage).text) and said.shared(core(said, passage)) >= 0.6


UNI = re.compile(
    r"\b(?:all|every|any|always|everyone|entire|only|sole(?:ly)?)\b|所有|全部|一切|任何|均|都|完全|唯一",
    re.I,
)
PART = re.compile(
    r"\b(?:some|most|many|several|few|except|part|two of|one of|sometimes|often|usually|generally|mainly)\b|部分|多数|一些|除外|有的|不全|通常|主要",
    re.I,
)
STRONG = re.compile(
    r"\b(?:prov(?:e|es|ed|en)|demonstrat\w+|establish\w*|confirm\w*|guarante\w+|showed|shown|shows|caused|causes|main|definitive\w*|certain\w*)\b|证明|证实|确认|确定|已经|已被|已|肯定|一定",
    re.I,
)
GUESS = re.compile(
    r"\b(?:could|might|may|possibl[ey]|perhaps|believ\w{1,3}|hop(?:e|es|ed|ing)|claim\w{0,3}|unclear|speculat\w{1,4}|suggest\w*|propos\w+|recommend\w*|whether|expect\w*|seem\w*|appear\w*|said|says|plan\w*|promis\w+|intend\w*|will|likely|cannot tell|left open|needed)\b|可能|或许|也许|有望|据称|尚不清楚|似乎|尚无|尚未|预计|计划|承诺|听说|建议|拟|能否|是否",
    re.I,
)


def univ(said, passage):
    return (
        UNI.search(said.text)
        and not UNI.search(core(said, passage).text)
        and PART.search(core(said, passage).text)
    )


def univ0(said, passage):
    return UNI.search(said.text) and not UNI.search(_j(passage).text)


def strong(said, passage):
    return (
        STRONG.search(said.text)
        and not STRONG.search(_j(passage).text)
        and GUESS.search(core(said, passage).text)
    )


def strong0(said, passage):
    return STRONG.search(said.text) and not STRONG.search(_j(passage).text)


def guess2(said, passage):
    return (
        GUESS.search(core(said, passage).text)
        and not GUESS.search(said.text)
        and not po._RESERVE.search(said.text)
    )


for k in ["riv", "rivcore", "foreign", "univ", "univ0", "strong", "strong0", "guess2"]:
    globals()["l" + k] = like(globals()[k])
