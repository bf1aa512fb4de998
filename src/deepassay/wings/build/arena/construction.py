"""What a task of DeepResearch Arena is made of, and the rules that its words keep.

Ten families, each of one phase of research, with the names of the appendix "Task generator
prompt", section 3.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Annotated, Final, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field

from deepassay.models.operation import Reply
from deepassay.tasks.fields import Text
from deepassay.tasks.task import Language
from deepassay.tasks.yardsticks import PHASES, Phase
from deepassay.text import HAN, IN_EVERY_TEXT, count_words
from deepassay.wings.build.arena.inspiration import KINDS, Kind

FamilyName = Literal[
    "Literature Survey",
    "Trend / Market Scan",
    "Requirements Gathering / Needs Analysis",
    "Hypothesis Generation",
    "Method / Experiment Blueprint",
    "Prototype / System Specification",
    "Evaluation Metric Design",
    "Empirical / Simulation Test",
    "Replicability & Bias Review",
    "Comparative Analysis",
]
FAMILIES: Final[tuple[FamilyName, ...]] = get_args(FamilyName)

PHASE_OF: Final[Mapping[FamilyName, Phase]] = {
    **dict.fromkeys(FAMILIES[:3], "Synthesize"),
    **dict.fromkeys(FAMILIES[3:7], "Design"),
    **dict.fromkeys(FAMILIES[7:], "Evaluate"),
}

Difficulty = Literal["Basic", "Advanced"]


_GIVE: Final = (
    r"deliver(?:able)?|provide|produce|submit|present|write|compile|prepare|draw up|report|publish|"
    r"return|hand (?:in|over)|release|document|build|create|draft|specify|develop|summari[sz]e|"
    r"tabulate|propose|assemble|construct|define|design|formulate|generate|give|output|map|rank"
)
_PRODUCT: Final = (
    r"tables?|matri(?:x|ces)|reports?|reviews?|memos?|briefs?|briefing|maps?|taxonom(?:y|ies)|"
    r"datasets?|databases?|spreadsheets?|code|scripts?|notebooks?|protocols?|specifications?|spec|"
    r"plans?|blueprints?|prototypes?|models?|simulations?|metrics?|scores?|scorecards?|ind(?:ex|"
    r"ices)|rubrics?|checklists?|frameworks?|hypothes[ie]s|lists?|inventor(?:y|ies)|catalogues?|"
    r"catalogs?|rankings?|figures?|charts?|plots?|diagrams?|papers?|essays?|summar(?:y|ies)|"
    r"questionnaires?|guides?|guidelines?|timelines?|templates?|benchmarks?|audits?|comparisons?|"
    r"bibliograph(?:y|ies)|roadmaps?|recommendations?|proposals?|dashboards?|manuscripts?|"
    r"documents?|documentation|forecasts?|workflows?|pipelines?|estimates?|formulas?|equations?"
)
# A point inside a number or an abbreviation does not end the sentence.
_WITHIN: Final = r"(?:[^.?!\n]|\.(?=\S)){0,160}?"

_GIVE_ZH: Final = (
    "提交|交付|给出|提供|形成|产出|撰写|编写|编制|输出|绘制|列出|汇总|整理|制作|完成|写出|写成|"
    "制定|拟定|提出|构建|建立|设计"
)
_PRODUCT_ZH: Final = (
    "表|报告|综述|清单|方案|图|模型|代码|数据集|数据库|协议|规范|说明书|说明|指标|矩阵|分类|假设|"
    "论文|提纲|计划|框架|量表|问卷|手册|脚本|目录|时间线|建议|备忘录|文档|简报|名录|公式|流程|排序"
)

DELIVERABLE: Final[Mapping[Language, re.Pattern[str]]] = {
    "en": re.compile(rf"\b(?:{_GIVE})s?\b{_WITHIN}\b(?:{_PRODUCT})\b", re.IGNORECASE),
    "zh": re.compile(rf"(?:{_GIVE_ZH})[^。？！\n]{{0,60}}?(?:{_PRODUCT_ZH})"),
}
"""A product, and in the same sentence before it a word for handing it over."""

_POINTING: Final = "the|this|that|these|our|said|original|above|source|given"

LEANING: Final[Mapping[Language, re.Pattern[str]]] = {
    "en": re.compile(
        r"\b(?:seminars?|webinars?|colloqui(?:um|a)|panell?ists?|discussants?|"
        rf"(?:{_POINTING}) (?:talk|lecture|lecturer|keynote|presentation|presenter|transcript|"
        r"speaker|recording|session|workshop|audience|inspiration)s?|"
        r"inspirations? (?:\d|one|two|above)|"
        r"(?:the|this) (?:above|previous|preceding|following|other) (?:task|discussion)s?|"
        r"(?:mentioned|discussed|noted|described|explained) (?:above|earlier|before)|"
        r"(?:speaker|presenter|lecturer)s? (?:sa(?:ys?|id)|not(?:es?|ed)|argue[sd]?|mention\w*))\b",
        re.IGNORECASE,
    ),
    "zh": re.compile(
        "研讨会|讲座|座谈会|报告人|主讲人|讲者|演讲|发言人|发言者|提问者|文字稿|录音稿|转录文本|"
        "启发点|本次报告|本场报告|该报告中|上述(?:任务|讨论|发言)|(?:前一|上一|另一)个?任务|"
        "如[前上]所述|[前上]文(?:所述|提到)"
    ),
}
"""Words by which a task leans on the talk that it came from, or on another task."""


def _english(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE)


EMPHASIS: Final[Mapping[Language, Mapping[Kind, re.Pattern[str]]]] = {
    "en": {
        "Limitation": _english(
            r"gaps?|missing|lack\w*|un(?:solved|resolved|known|answered|tested|met|explained)|"
            r"limitations?|limits|bottlenecks?|weakness\w*|blind spots?|shortcomings?|obstacles?|"
            r"open (?:questions?|problems?)|not yet|under-?stud\w+|neglect\w*|barriers?|fails?"
        ),
        "Methodology": _english(
            r"design\w*|methods?|methodolog\w+|protocols?|procedures?|workflows?|pipelines?|"
            r"blueprints?|specif\w+|prototyp\w+|frameworks?|approach\w*|algorithms?|technique\w*"
        ),
        "Transdisciplinarity": _english(
            r"bridg\w+|across|transfer\w*|fields?|disciplin\w+|cross-\w+|borrow\w*|combin\w+|"
            r"integrat\w+|translat\w+|analog\w+|adapt\w*|(?:inter|trans|multi)disciplin\w+"
        ),
        "Hypothesis": _english(
            r"test\w*|hypothes\w+|verif\w+|falsif\w+|refut\w+|predict\w*|confirm\w*|whether|claims?"
        ),
    },
    "zh": {
        "Limitation": re.compile(
            "空白|缺口|不足|局限|瓶颈|未解|尚未|缺乏|缺少|短板|未知|悬而未决|盲区|障碍|失效"
        ),
        "Methodology": re.compile("设计|方法|方案|流程|协议|框架|原型|规范|技术路线|算法|步骤"),
        "Transdisciplinarity": re.compile(
            "跨学科|跨领域|学科|领域|借鉴|移植|迁移|引入|结合|融合|类比|桥梁|衔接"
        ),
        "Hypothesis": re.compile("检验|验证|假设|假说|证伪|是否|预测|论断|推断|成立"),
    },
}
"""Words by which a task takes up what an inspiration of this type asks for."""


FEWEST: Final = 5
MOST: Final = 8
"""Tasks of a group of inspirations."""

MOST_OF_A_FAMILY: Final = 2

MOST_WORDS: Final[Mapping[Language, int]] = {"en": 100, "zh": 170}
"""Of one task. The paper counts words; 170 Chinese characters say about as much."""

MOST_HOURS: Final = 3.0
"""That a Basic task may take."""

_LONGEST_WORD: Final = 40
"""Characters; what is looked at of a text ends after so many for each word that it may have."""

FEWEST_SHARED: Final[Mapping[Language, int]] = {"en": 3, "zh": 4}
"""Key words, or pairs of Chinese characters, that a task takes from its inspiration."""


class Lead(BaseModel):
    """An inspiration as the weaver sees it. number: from 1, within its group."""

    model_config = ConfigDict(frozen=True)

    number: int
    type: Kind
    text: str


class Proposed(Reply):
    """One task of an answer.

    inspirations: numbers of those that it rests on. hours, public_data: what it takes, by which
    its difficulty is checked.
    """

    phase: Phase
    family: FamilyName
    difficulty: Difficulty
    hours: Annotated[float, Field(gt=0, allow_inf_nan=False)]
    public_data: bool
    inspirations: list[int]
    task: Text


def broken_rules(
    proposed: Sequence[Proposed], leads: Sequence[Lead], language: Language
) -> list[str]:
    """Every rule that the tasks of a group break, in words for the model; none if all hold."""
    problems = [*_as_a_set(proposed)]
    for number, each in enumerate(proposed, start=1):
        flaws = [*_flaws(each, language), *_loose(each, leads, language)]
        problems += [f"task {number}: {flaw}" for flaw in flaws]
    return [*problems, *_unsteered(proposed, leads, language)]


def text_flaws(text: str, language: Language) -> Iterator[str]:
    """What is wrong with the words of a task, whoever wrote them."""
    most = MOST_WORDS[language]
    if (words := count_words(text)) > most:
        yield f"it has {words} words; the limit is {most}"
    beginning = text[: _LONGEST_WORD * most]
    if not DELIVERABLE[language].search(beginning):
        yield "it names no deliverable; say what is to be delivered, such as a table or a report"
    if found := LEANING[language].search(beginning):
        yield f"{found.group()!r} refers to something outside; the task must stand alone"


def ungrounded(text: str, inspiration: str, language: Language) -> str:
    """What is wrong with how a task takes up the wording of its inspiration, or nothing."""
    wording = key_words(inspiration, language)
    shared = wording.keys() & key_words(text, language).keys()
    wanted = max(1, min(FEWEST_SHARED[language], len(wording)))
    if len(shared) >= wanted:
        return ""
    unused = [form for key, form in wording.items() if key not in shared]
    return (
        f"it shares {len(shared)} key words with its inspiration, at least {wanted} are needed; "
        f"take up its wording, such as: {', '.join(unused[:8])}"
    )


def _as_a_set(proposed: Sequence[Proposed]) -> Iterator[str]:
    if not FEWEST <= len(proposed) <= MOST:
        yield f"there are {len(proposed)} tasks; give {FEWEST} to {MOST}"
    phases = {each.phase for each in proposed}
    for phase in PHASES:
        if phase not in phases:
            yield f"no task belongs to the phase {phase}"
    for family, times in Counter(each.family for each in proposed).items():
        if times > MOST_OF_A_FAMILY:
            yield f"the family {family!r} occurs {times} times; at most {MOST_OF_A_FAMILY}"
    first: dict[str, int] = {}
    for number, each in enumerate(proposed, start=1):
        words = " ".join(each.task.casefold().split())
        if (known := first.setdefault(words, number)) != number:
            yield f"task {number} has the text of task {known}; every task asks for something else"


def _flaws(proposed: Proposed, language: Language) -> Iterator[str]:
    """What is wrong with a task by itself."""
    if proposed.phase != (phase := PHASE_OF[proposed.family]):
        yield f"the family {proposed.family!r} belongs to the phase {phase}"
    if proposed.difficulty == "Basic":
        if proposed.hours > MOST_HOURS:
            yield f"a Basic task takes at most {MOST_HOURS:g} hours, not {proposed.hours:g}"
        if not proposed.public_data:
            yield "a Basic task needs nothing but public data"
    yield from text_flaws(proposed.task, language)


def _loose(proposed: Proposed, leads: Sequence[Lead], language: Language) -> Iterator[str]:
    """What is wrong with the inspirations that a task rests on."""
    numbers = proposed.inspirations
    texts = {lead.number: lead.text for lead in leads}
    if not numbers:
        yield "it rests on no inspiration"
    if len(set(numbers)) < len(numbers):
        yield "it names an inspiration twice"
    for number in dict.fromkeys(numbers):
        if number not in texts:
            yield f"there is no inspiration {number}"
        elif problem := ungrounded(proposed.task, texts[number], language):
            yield f"inspiration {number}: {problem}"


def _unsteered(
    proposed: Sequence[Proposed], leads: Sequence[Lead], language: Language
) -> Iterator[str]:
    """Types of inspirations that none of their tasks shows the emphasis of."""
    types = {lead.number: lead.type for lead in leads}
    for kind in KINDS:
        own = [each for each in proposed if kind in map(types.get, each.inspirations)]
        if own and not any(EMPHASIS[language][kind].search(each.task) for each in own):
            yield f"no task that rests on a {kind} {_WANTED[kind]}"


_WANTED: Final[Mapping[Kind, str]] = {
    "Limitation": "looks for the gaps: what is missing, unsolved or unknown",
    "Methodology": "designs: a method, a protocol, a procedure",
    "Transdisciplinarity": "bridges fields: transfers, combines, adapts",
    "Hypothesis": "tests the assertion: whether it holds, how it could be refuted",
}


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
