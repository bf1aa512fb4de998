"""Sentences that say nothing, English and Chinese: no claim, no figure, no name, no source."""

from __future__ import annotations

from collections.abc import Iterator

from numpy.random import Generator

_ENGLISH = (
    "It goes without saying that this topic has many sides, each of which matters in its own way.",
    "There is much that could be said here, and much of it depends on how one looks at it.",
    "Before going further, it helps to pause for a moment and keep the larger picture in mind.",
    "As with so many questions, the answer is seldom simple, and it rarely stands by itself.",
    "Different readers will naturally find different aspects of this more or less important.",
    "Taken together, these points form a picture that is both broad and rich in detail.",
    "It is worth bearing in mind that context always plays a part in matters of this kind.",
    "What has been said so far should be seen in the light of what is still to be said.",
    "Needless to say, a careful look at all of this is more useful than a hasty one.",
    "In one way or another, everything mentioned here is connected with everything else.",
    "Such considerations deserve attention, whatever conclusion one may finally come to.",
    "Of course, no overview can do full justice to a subject with so many facets.",
    "With this in view, the discussion can move on to the next point in a natural manner.",
    "Every situation is different, and what holds in one case need not hold in another.",
    "Much has been thought about this, and no doubt much more will be thought about it.",
    "In the end, it all comes down to weighing the various factors against each other.",
)

_CHINESE = (
    "毋庸赘言，这一话题涉及方方面面，每个方面都有其自身的意义。",
    "对此可以说的内容很多，而怎样去说在很大程度上取决于看问题的角度。",
    "在继续讨论之前，不妨稍作停顿，从整体上把握全局。",
    "正如许多问题一样，答案往往并不简单，也很少能够孤立地看待。",
    "不同的读者自然会觉得其中不同的部分更为重要。",
    "综合起来看，上述内容构成了一幅既全面又丰富的图景。",
    "值得注意的是，在这类问题上，背景总是起着一定的作用。",
    "前面所谈的内容，应当与后面将要谈到的内容结合起来理解。",
    "不言而喻，认真细致地加以考察，总比匆忙下结论更为有益。",
    "从某种意义上说，这里提到的一切都是相互联系的。",
    "无论最终得出怎样的看法，这些思考都值得重视。",
    "当然，任何概述都难以完全展现这样一个多层面的主题。",
    "有鉴于此，下面的讨论便可以自然而然地展开。",
    "每种情形各有不同，适用于一处的未必适用于另一处。",
    "关于这一点，人们已经有过许多思考，今后想必还会有更多思考。",
    "归根结底，关键在于对各种因素进行综合权衡。",
)

_SENTENCES = 4


def paragraphs(chinese: bool, random: Generator) -> Iterator[str]:
    """Paragraphs of four sentences without end; none comes twice before all have come."""
    sentences = _CHINESE if chinese else _ENGLISH
    while True:
        order = random.permutation(len(sentences))
        for start in range(0, len(order), _SENTENCES):
            chosen = [sentences[index] for index in order[start : start + _SENTENCES]]
            yield ("" if chinese else " ").join(chosen)
