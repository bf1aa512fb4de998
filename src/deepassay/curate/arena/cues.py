"""Phrases by which speakers voice an inspiration: the tables of the offline rule.

The paper's prompt names a few cues for each type; most of these are ours. A strong cue tells the
type by itself, a weak one only beside another.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

from deepassay.curate.arena.inspiration import Kind, Quality
from deepassay.tasks.dates import Language


class Cues(NamedTuple):
    """The cues of one type in one language."""

    strong: re.Pattern[str]
    weak: re.Pattern[str]


def _english(pattern: str) -> re.Pattern[str]:
    spaced = pattern.replace("…", r"(?:[\w'-]+ ){0,4}?")  # up to four words in between
    return re.compile(rf"\b(?:{spaced})\b", re.IGNORECASE)


def _chinese(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern.replace("…", r"[^，。；？！\s]{0,12}?"))


_ENGLISH: Final[Mapping[Kind, Cues]] = {
    "Transdisciplinarity": Cues(
        _english(
            r"borrow(?:ed|ing)? …from|(?:in|from|to) (?:another|other|a different|neighbou?ring) "
            r"(?:fields?|disciplines?)|bridg(?:e|es|ing) …(?:to|between|and)|across (?:the )?"
            r"(?:disciplines|fields)|(?:cross|inter|trans)-?disciplin\w+|analog(?:y|ous) …(?:to|"
            r"with|from)|(?:carr(?:y|ied)|transfer(?:red)?|import(?:ed)?) …over|the same (?:maths?|"
            r"mathematics|equations?|models?|tools?|trick) …(?:as|in|works?|appl(?:y|ies))|what …"
            r"(?:people|researchers) in \w+ (?:do|did|call)|have \w+ists (?:looked|thought|tried)|"
            r"appl(?:y|ied|ying) …(?:theory|model|ideas?|methods?|tools?) …to"
        ),
        _english(
            r"\w{4,}(?:ologists|icists|omists|graphers|linguists) (?:have|call|use|do|know|would)|"
            r"appl(?:y|ies|ied|ying)|analog(?:y|ous|ies)|resembles?|field|discipline"
        ),
    ),
    "Hypothesis": Cues(
        _english(
            r"(?:i|we)(?:'d| would) (?:really )?(?:expect|predict|bet|guess)|(?:my|our|one|the) "
            r"(?:working )?(?:hypothes[ie]s|prediction|conjecture|suspicion|hunch)|hypothesi[sz]e|"
            r"(?:might|may|could|would) (?:well |also |then )?(?:explain|cause|be (?:because|due|"
            r"driven|caused)|depend on|account for)|(?:i|we) (?:suspect|predict|conjecture)|(?:is|"
            r"are|be) (?:driven|caused) by|(?:lead|leads|led) to|if …(?:is|was|were) (?:right|"
            r"true|the (?:case|cause|reason|mechanism))|(?:do|would) you expect|is it because|"
            r"could it be that|(?:should|would|will) (?:rise|fall|increase|decrease|double|halve|"
            r"grow|drop|shrink|vanish|disappear)"
        ),
        _english(
            r"because|percent|per cent|twice|half|faster|slower|correlat\w+|increases?|decreases?|"
            r"predicts?|expect|reduces?|effect|depends? on|the more|cause[sd]?"
        ),
    ),
    "Methodology": Cues(
        _english(
            r"(?:i|we) (?:now |then |therefore |would )?(?:propose|suggest|introduce|developed|"
            r"built|designed|came up with)|what if (?:we|you|one|i)|(?:what|how) about (?:\w+ing)|"
            r"have you (?:ever )?(?:tried|considered|thought)|did you (?:try|consider|think of)|"
            r"(?:we|you|one|somebody|someone) (?:could|can|might|should) (?:also |instead |just |"
            r"simply |perhaps )?(?:measure|use|build|test|combine|run|model|simulate|record|train|"
            r"sample|compare|map|track|instrument)|(?:new|novel|different|better|cheap(?:er)?|"
            r"simple) (?:framework|method|approach|technique|way|protocol|pipeline|instrument|"
            r"design|estimator|metric)|our (?:approach|method|idea|trick|solution|design)|the "
            r"(?:idea|trick) (?:here )?is|why (?:not|don't (?:we|you)) \w+|it would be (?:"
            r"interesting|useful|nice|possible|worth\w*) to"
        ),
        _english(
            r"instead of|for the first time|method|approach|framework|algorithm|pipeline|measure|"
            r"experiment|combine|design|technique|could"
        ),
    ),
    "Limitation": Cues(
        _english(
            r"(?:we|i|they|you|nobody|no one|people) (?:still |really |simply |just )?(?:do not|"
            r"don't|cannot|can't|could not|couldn't|does not|doesn't) (?:yet |really |actually |"
            r"even |fully )?(?:know|understand|have|explain|measure|tell|see|observe|agree|say)|"
            r"(?:nobody|no one) …(?:knows?|understands?|has|have|asked|looked|measured|tested)|"
            r"(?:un|not yet )(?:solved|known|explained|resolved)|open (?:question|problem|issue)s?|"
            r"bottlenecks?|(?:lack|lacks|lacking) (?:of )?|(?:there (?:is|are)|we have) (?:no|very "
            r"few|hardly any|almost no) (?:data|evidence|theory|way|studies|records?|measurements?|"
            r"samples?|good)|the (?:main |big |real |first |second |other |hard )?(?:problem|"
            r"trouble|difficulty|limitation|weakness|catch|caveat|obstacle) (?:here |with …|of …|"
            r"for …)?(?:is|was|are)|(?:fails?|failed|breaks?|broke) (?:down|to|when|as soon|badly|"
            r"completely|for)|(?:missing|blind spot)s?|it is (?:not|un)-?clear|remains? (?:open|"
            r"unclear|unknown|a (?:mystery|puzzle|question))|how (?:do|can|would) you (?:know|rule "
            r"out|tell|distinguish|control)|is there (?:any )?(?:evidence|data)"
        ),
        _english(
            r"problem|difficult|hard|limit(?:s|ed|ation)?|bias(?:ed)?|too (?:few|small|short|"
            r"slow|expensive|coarse)|unfortunately|however|uncertain(?:ty)?|only|cannot|never|not"
        ),
    ),
}

_CHINESE: Final[Mapping[Kind, Cues]] = {
    "Transdisciplinarity": Cues(
        _chinese(
            r"跨学科|交叉学科|借鉴|借用|(?:别的|其他|另一个?|不同的?|邻近的?)(?:学科|领域)|"
            r"(?:引入|移植|迁移|应用|运用|推广)到|类比|架起|搭…桥|与…学科|学科之间|"
            r"用…学的?(?:方法|理论|模型|工具|办法)|从…学(?:里|中|那里|的角度)"
        ),
        _chinese("学家|领域|学科|类似|相通|同样的(?:方法|模型|方程|数学)"),
    ),
    "Hypothesis": Cues(
        _chinese(
            r"假设是|假说|我(?:们)?(?:猜|猜测|推测|怀疑|预计|估计|预测|预期)|(?:可能|也许|或许|"
            r"大概)是(?:因为|由于|由)|(?:可能|也许|或许|能|可以)(?:够)?解释|导致|引起|取决于|"
            r"如果…(?:成立|是对的|没错|就(?:会|应该))|应该会|是不是(?:因为|由于|说明)|会不会"
        ),
        _chinese("因为|由于|百分之|一倍|相关|越|影响|增加|减少|上升|下降|预期|原因"),
    ),
    "Methodology": Cues(
        _chinese(
            r"我们(?:提出|设计|开发|建立|构建|采用|引入)了?|新的?(?:方法|框架|办法|思路|技术|算法|"
            r"模型|方案|指标|仪器)|(?:能不能|可不可以|是否可以|有没有(?:试过|考虑|想过))|"
            r"(?:不妨|可以(?:考虑|尝试|试试|用|先|把|改用|结合))|如果(?:我们|你们|换成|改用|用)|"
            r"我们的(?:做法|办法|方法|思路|想法)|为什么不|换一种"
        ),
        _chinese("方法|测量|实验|采样|建模|模拟|训练|结合|第一次|首次|而不是|设计|比较"),
    ),
    "Limitation": Cues(
        _chinese(
            r"(?:还|尚|仍|并)(?:不知道|不清楚|不明白|未解决|没有(?:解决|答案|定论|办法|数据|证据))|"
            r"(?:没有|没)人(?:知道|做过|研究过|问过|测过|解释)|瓶颈|(?:缺乏|缺少|欠缺)|不足之处|"
            r"(?:主要|最大|真正|难办)?的?(?:问题|困难|难点|局限|缺点|障碍)(?:是|在于|就是)|"
            r"悬而未决|未解|失效|行不通|无法(?:解释|区分|测量|判断|确定|回答|观测|排除)|"
            r"说不清|解释不了|测不(?:到|出|准)|怎么(?:知道|排除|区分|证明|保证)|有没有(?:证据|数据)"
        ),
        _chinese("问题|困难|很难|局限|不够|太少|太小|偏差|误差|但是|可惜|遗憾|只有|不"),
    ),
}

CUES: Final[Mapping[Language, Mapping[Kind, Cues]]] = {"en": _ENGLISH, "zh": _CHINESE}
"""The types in the order in which they go before each other where cues are even."""

QUALITY_CUES: Final[Mapping[Language, Mapping[Quality, re.Pattern[str]]]] = {
    "en": {
        "novelty": _english(r"new|novel|first time|nobody …has|no one …has|never been|unusual"),
        "challenge": _english(
            r"problem|difficult\w*|hard|unsolved|bottleneck|unclear|unknown|cannot|can't|fails?|"
            r"don't …know|do not …know|lack\w*|missing"
        ),
        "verifiability": _english(
            r"measur\w+|test\w*|experiment\w*|simulat\w+|data|compar\w+|sampl\w+|record\w*|"
            r"correlat\w+|percent|per cent|\d+"
        ),
    },
    "zh": {
        "novelty": _chinese("新|首次|第一次|没有人|没人|从来没|不同寻常"),
        "challenge": _chinese("问题|困难|很难|难点|瓶颈|不清楚|不知道|无法|缺乏|缺少|失效|未解"),
        "verifiability": _chinese(r"测|检验|验证|实验|模拟|数据|比较|对比|采样|相关|百分之|\d"),
    },
}
"""Words that show a quality besides the two that the type requires."""

EVENT: Final[Mapping[Language, re.Pattern[str]]] = {
    "en": re.compile(
        r"\b(?:microphone|mic|muted?|zoom|can (?:you|everybody) hear|(?:share|sharing) (?:my|the|"
        r"your) screen|(?:next|previous|this|my) slides?|the (?:chat|recording|projector|schedule|"
        r"wifi|handout)|coffee|lunch|tea break|thank(?:s| you)|welcome|applause|chair(?:man|"
        r"person)?|we (?:are|were) running (?:late|out of time)|minutes left|next speaker|"
        r"registration|sign(?: |-)?up|housekeeping|dinner)\b",
        re.IGNORECASE,
    ),
    "zh": re.compile(
        "麦克风|话筒|静音|听得到吗|听得见吗|共享屏幕|下一页|上一页|幻灯片|投影|录音|录像|"
        "茶歇|午饭|吃饭|休息一下|谢谢|感谢|欢迎|掌声|主持人|时间(?:到了|不多|关系)|报名|签到|下一位"
    ),
}
"""Words about the event itself, which are no subject of research."""
