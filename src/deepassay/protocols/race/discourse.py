"""Wordings, English and Chinese, by which the offline rule for RACE reads criteria and articles."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

_RHETORIC = """
    ability accuracy accurate accurately across actually address addressed addresses addressing
    adequate adequately adhere adherence analyses analysis analytical analyze analyzed analyzes
    appropriate appropriately article articles aspect aspects assess assesses assessing beyond
    breadth broad clarity clear clearly coherence coherent cohesion comprehensive
    comprehensiveness comprehensively consistent consistently content core correct correctly
    cover coverage covered covering covers crucial deep deeply demonstrate demonstrates depth
    detail detailed details different directly discusses discussion effective effectively
    effectiveness ensure ensures ensuring etc evaluate evaluates evaluating evaluation examine
    examines example examples explicit explicitly exploration explore explores extent focus
    focused focuses focusing follow followed following follows fulfill fulfilling fulfills
    genuine genuinely goes identification identified identifies identify identifying important
    inclusion information insight insightful insights instruction instructions just key level
    logic logical logically mandated mere merely moves multiple necessary needs novel novelty
    offer offers original originality overall potential precise precision present presentation
    presented presents primary prompt properly quality question questions range rather
    reader readers related relevance relevant report reports requested requirement requirements
    required requires response responses scope significant simply solely specific specifically
    specified strictly sufficient sufficiently superficial task tasks text thorough thoroughly
    thoroughness understand understanding use used user users using value valuable various well
    whole without
"""

RHETORIC: Final = frozenset(_RHETORIC.split())
"""English words that tell how a criterion judges, and not what it asks for."""

RHETORIC_HAN: Final = re.compile(
    "评估|报告|文章|任务|要求|指令|回应|遵循|遵守|严格|清晰|明确|充分|深入|深度|广度|全面|完整|"
    "准确|有效|恰当|合理|覆盖|涵盖|展现|呈现|体现|展示|阐述|阐释|阐明|描述|探讨|论述|介绍|解释|识别|"
    "能否|不仅|而非|避免|确保|能够|超越|核心|关键|主要|重要|相关|不同|深刻|独到|独特|洞察|洞见|"
    "见解|逻辑|严谨|聚焦|围绕|限定|偏离|方面|程度|性质|内容|信息|问题|例如|基于|通过|同时|这些|"
    "这一|一个|所有|各种|多个|简单|罗列|堆砌|表面|普遍|认知|启发|原创|创新性|前瞻性|针对|直接"
)
"""Chinese words of the same kind."""

PROCESS_TALK: Final = re.compile(
    r"\b(?:let me|let's|i(?:'ll| will| need to| should| am going to|'m going to)|now i|next, i)\s+"
    r"(?:now |also |first |next |then )?(?:\w+ )?(?:search|research|look|find|check|gather|"
    r"continue|explore|investigate|conduct|write|compile|create|analy[sz]e|examine)\b|"
    r"(?:让我|我将|我会|我需要|我来|接下来我|现在我)[^。！？\n]{0,12}"
    r"(?:搜索|查找|查询|检索|收集|了解|继续|撰写|研究|整理|获取)",
    re.IGNORECASE,
)
"""What an agent says about its own work, and not about the topic."""

REASONING: Final[Mapping[str, re.Pattern[str]]] = {
    "cause": re.compile(
        r"\b(?:because|therefore|thus|hence|consequently|due to|owing to|as a result|results? in|"
        r"resulting|leads? to|led to|leading to|driven by|drivers?|caus(?:e|es|ed|ing)|stems? from|"
        r"attribut\w+|so that|underl(?:ies|ying)|explains?|mechanisms?|enabl(?:e|es|ing)|"
        r"affects?|influences?)\b|"
        r"因为|由于|因此|所以|从而|导致|引起|引发|使得|促使|原因|源于|归因|取决于|驱动|机制|影响",
        re.IGNORECASE,
    ),
    "contrast": re.compile(
        r"\b(?:however|although|though|whereas|while|despite|in contrast|by contrast|conversely|"
        r"nevertheless|nonetheless|on the other hand|rather than|instead|yet|unlike|but)\b|"
        r"然而|但是|但|尽管|虽然|相反|反之|而非|不过|却|矛盾|悖论|另一方面",
        re.IGNORECASE,
    ),
    "condition": re.compile(
        r"\b(?:if|unless|provided that|depend(?:s|ing)? on|assum\w+|in case|otherwise|"
        r"as long as|scenarios?|when|where)\b|"
        r"如果|若|假如|假设|只要|除非|前提|条件下|情形|情景|一旦|否则",
        re.IGNORECASE,
    ),
    "comparison": re.compile(
        r"\b(?:more|less|fewer|higher|lower|larger|smaller|greater|better|worse|faster|slower|"
        r"stronger|weaker|than|compared|relative to|versus|vs|similar(?:ly)?|differs?|"
        r"differences?|trade-?offs?|outperform\w*|exceed\w*)\b|"
        r"相比|比较|对比|高于|低于|优于|大于|小于|多于|少于|超过|更高|更低|更大|更强|更快|更多|"
        r"差异|区别|不同于|类似|权衡|优势|劣势",
        re.IGNORECASE,
    ),
    "evaluation": re.compile(
        r"\b(?:suggest\w*|impl(?:y|ies|ied|ication\w*)|indicat\w+|conclud\w+|conclusions?|"
        r"overall|in (?:short|sum|summary|essence|practice)|means? that|this means|key|critical|"
        r"crucial|important\w*|significan\w+|risks?|limit\w*|challenges?|uncertain\w*|should|"
        r"recommend\w*|likely|unlikely|reveal\w*|matters?|caveats?|evidence)\b|"
        r"表明|说明|意味着|可见|总之|综上|总体|显示|揭示|反映|本质|关键|重要|显著|风险|局限|挑战|"
        r"不确定|应当|应该|建议|可能|值得|启示|判断|证据|核心在于",
        re.IGNORECASE,
    ),
}
"""Kinds of reasoning, and the words by which a sentence shows one."""

FORMS: Final[Mapping[str, re.Pattern[str]]] = {
    "structure": re.compile(
        r"\b(?:structur\w*|organi[sz]\w*|headings?|subheadings?|titles?|sections?|hierarch\w*|"
        r"navigat\w*|logical\w*|layout)\b|结构|章节|标题|层次|层级|组织|框架|导航",
        re.IGNORECASE,
    ),
    "paragraphs": re.compile(
        r"\b(?:paragraphs?|chunk\w*|concis\w*|length|dens\w*|redundan\w*|spacing)\b|"
        r"段落|简洁|冗余|篇幅|间距|精炼",
        re.IGNORECASE,
    ),
    "cohesion": re.compile(
        r"\b(?:cohe\w+|transitions?|flows?|smooth\w*|connect\w*|narrative|progress\w*)\b|"
        r"衔接|连贯|过渡|流畅|顺畅|脉络",
        re.IGNORECASE,
    ),
    "sentences": re.compile(
        r"\b(?:language|clarity|clear\w*|grammar\w*|sentences?|wording|precis\w*|fluen\w*|"
        r"readers?|audience|accessib\w*|terms?|terminolog\w*|jargon|professional\w*|tone)\b|"
        r"语言|语句|表达|措辞|通顺|术语|歧义|语病|读者|受众|专业|易懂|通俗",
        re.IGNORECASE,
    ),
    "display": re.compile(
        r"\b(?:tables?|charts?|figures?|visual\w*|diagrams?|graph\w*|lists?|bullets?|data|"
        r"highlight\w*|emphas\w*|bold\w*|key (?:points?|information|findings))\b|"
        r"表格|图表|列表|可视化|数据|图示|加粗|突出|要点|重点",
        re.IGNORECASE,
    ),
    "tidiness": re.compile(
        r"\b(?:format\w*|layout|font\w*|typograph\w*|consisten\w*|errors?|typos?|spelling|"
        r"citations?|neat\w*|professional\w*|correct\w*)\b|"
        r"格式|排版|规范|整洁|字体|一致|错别字|引用|美观",
        re.IGNORECASE,
    ),
    "frame": re.compile(
        r"\b(?:introduct\w*|conclu\w*|summar\w*|abstract|overview|background|opening|closing)\b|"
        r"引言|前言|结论|总结|摘要|概述|导语|背景|小结",
        re.IGNORECASE,
    ),
}
"""Sides of readability, and the words by which a criterion asks for one."""

OPENS: Final = re.compile(
    r"\b(?:introduction|overview|background|summary|abstract|scope|context)\b|"
    r"引言|前言|概述|背景|摘要|导言|综述|总览|概览|范围|要点",
    re.IGNORECASE,
)
"""A heading that opens an article."""

CLOSES: Final = re.compile(
    r"\b(?:conclu\w+|summary|takeaways?|outlook|recommendations?|implications?|final|"
    r"bottom line|future|limitations?)\b|结论|总结|结语|展望|建议|小结|启示|局限|未来",
    re.IGNORECASE,
)
"""A heading that closes one."""

ASKS_FOR_TABLE: Final = re.compile(r"\btables?\b|\btabular\b|表格|列表对比", re.IGNORECASE)
"""Words that ask for a table."""

ASKS_FOR_LIST: Final = re.compile(
    r"\b(?:bullets?|lists? of|rank\w*|steps?)\b|列表|清单|列出|排名", re.IGNORECASE
)
"""Words that ask for a list."""
