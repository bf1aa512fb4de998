"""Wordings, English and Chinese, by which the offline rule sees that a sentence analyses."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from deepassay.protocols.race.discourse import REASONING

_TAKES_APART: Final = re.compile(
    r"\b(?:for (?:example|instance)|such as|e\.g|namely|specifically|in particular|including|"
    r"consists? of|compris\w+|components?|elements?|steps?|stages?|phases?|layers?|factors?|"
    r"first(?:ly)?|second(?:ly)?|third(?:ly)?|in turn|through|via|by \w{2,20}ing|process(?:es)?|"
    r"pathways?|per)\b|"
    r"例如|比如|诸如|具体|包括|包含|构成|组成|步骤|阶段|环节|层面|要素|因素|首先|其次|再次|第一|第二|"
    r"第三|一方面|通过|过程|路径|细分",
    re.IGNORECASE,
)
"""Matters taken apart into steps, parts and particulars."""

_IMPLIES: Final = re.compile(
    r"\b(?:impl(?:y|ies|ied|ications?)|means? that|meaning that|this means|suggests?|indicates?|"
    r"consequences?|trade-?offs?|at the (?:cost|expense|price) of|second-order|downstream|"
    r"in turn|knock-on|spillovers?|long[- ]term|over time|in practice|ultimately|"
    r"incentiv\w+|opportunit\w+|likely|expected to|should|recommend\w*)\b|"
    r"意味着|表明|说明|启示|后果|权衡|取舍|代价|长期|进而|进一步|倒逼|外溢|连锁|实践中|"
    r"归根结底|本质上|激励|机遇|有望|预计|应当|应该|建议",
    re.IGNORECASE,
)
"""What follows from a finding, and what one gives up for it."""

_DOUBTS: Final = re.compile(
    r"\b(?:however|although|though|despite|nevertheless|nonetheless|whereas|on the other hand|"
    r"limit(?:s|ed|ations?|ing)?|caveats?|uncertain\w*|unclear|unknown|unproven|contested|"
    r"disput\w+|debat\w+|critic\w+|bias\w*|confound\w*|overstat\w*|underestimat\w*|weak\w*|"
    r"drawbacks?|shortcomings?|downsides?|risks?|fail(?:s|ed|ures?)?|may not|might not|"
    r"cannot|does not|do not|did not|not necessarily|assum\w+|alternativ\w+|rather than|"
    r"scenarios?|depends? on|unless|counter\w*|gaps?|sensitiv\w+)\b|"
    r"然而|但是|尽管|虽然|不过|局限|不足|不确定|未必|尚不|尚未|存疑|争议|质疑|批评|偏差|高估|"
    r"低估|薄弱|缺陷|缺点|弊端|风险|失败|无法|不能|假设|前提|替代|而非|情景|情形|取决于|除非",
    re.IGNORECASE,
)
"""What is doubted, limited, or weighed against something else."""

WAYS: Final[Mapping[str, tuple[re.Pattern[str], ...]]] = {
    "granularity": (_TAKES_APART, REASONING["cause"], REASONING["condition"]),
    "insight": (_IMPLIES, REASONING["comparison"], REASONING["evaluation"]),
    "critique": (_DOUBTS, REASONING["contrast"]),
}
"""By which words a sentence counts for a dimension; evidence and density follow from these."""
