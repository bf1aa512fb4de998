"""The names that people give to columns, and what they then are."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final, Literal, get_args

ColumnPart = Literal[
    "id", "prompt", "report", "agent", "sample", "reference", "sheet", "head", "drop"
]
PARTS: Final[tuple[ColumnPart, ...]] = get_args(ColumnPart)

MEANS: Final[Mapping[str, str]] = {
    "id": "the identifier of the task",
    "prompt": "the prompt",
    "report": "the report",
    "agent": "the agent that wrote it",
    "sample": "the number of the answer",
}
HEADS: Final[Mapping[ColumnPart, tuple[str, ...]]] = {
    "id": (
        "task_id question_id prompt_id query_id topic_id qid custom_id task_key task_no "
        "question_no task_number question_number 任务编号 题号 问题编号 問題番号",
        "id key task item_id example_id uid uuid nr no number kennung nummer identifiant numero "
        "numéro número identificador 编号 序号 番号",
        "file filename file_name report_file 文件 文件名 Datei Dateiname",
    ),
    "prompt": (
        "prompt question query input instruction instructions problem user_prompt user_query "
        "user_input user_question question_text prompt_text task_prompt research_question "
        "task_description 问题 問題 提问 题目 題目 提示词 提示 查询 指令 任务描述 質問 질문 Frage "
        "Fragestellung Aufgabe Anfrage Eingabe pregunta consulta domanda pergunta вопрос запрос "
        "pytanie otázka vraag fråga spørgsmål spørsmål kysymys soru kérdés întrebare",
        "topic title task goal subject 主题 任务 Thema sujet tema",
        "text_by_name",
    ),
    "report": (
        "article response answer output report completion final_report final_answer final_response "
        "final_output generated_report generated_text generation model_output model_response "
        "model_answer prediction assistant reply 回答 答案 报告 報告 输出 回复 文章 答复 レポート "
        "답변 Antwort Bericht Ausgabe respuesta informe réponse rapport risposta rapporto resposta "
        "relatório ответ отчёт отчет odpowiedź raport odpověď zpráva antwoord svar yanıt cevap "
        "válasz",
        "text_by_name text texto texte testo tekst текст content body result markdown 内容 正文 "
        "结果 本文 Inhalt Ergebnis",
    ),
    "agent": (
        "agent agent_name 智能体 agente агент",
        "system system_name model model_name assistant_name bot source_model 模型 系统 系統 モデル "
        "Modell sistema modelo modèle modello модель система 모델 모델명 llm bot_name chatbot "
        "model_slug model_id model_version model_name_or_path generator 模型名称 模型名",
        "provider tool assistant",
    ),
    "sample": (
        "sample sample_no sample_number sample_index attempt trial repeat repetition run_no "
        "run_index",
        "epoch run seed iteration round replicate rep try 轮次 Durchlauf Lauf",
    ),
}
"""By part, names that say it, and those that do where none of the ones before does."""


_MARKS: Final = re.compile(r"[\W_]+")


@lru_cache(maxsize=4096)  # each way to read a table asks of all names again
def plain(name: str) -> str:
    """A name without what does not count: capitals, blanks, marks."""
    bare = _MARKS.sub("", name.casefold())
    return "no" if not bare and name.strip() in ("#", "№") else bare


KNOWN: Final[Mapping[ColumnPart, tuple[frozenset[str], ...]]] = {
    part: tuple(frozenset(map(plain, names.split())) for names in both)
    for part, both in HEADS.items()
}
_TARGET_HEADS: Final = (
    "target reference reference_answer reference_output ground_truth gold gold_answer "
    "golden_answer correct_answer right_answer ideal label doc.answer"
)
_OTHER_HEADS: Final = (
    "category categoria catégorie categoría Kategorie 类别 分类 domain domaine Bereich 领域 "
    "language lang Sprache langue idioma 语言 difficulty Schwierigkeit difficulté dificultad 难度 "
    "level type Typ split set subset dataset status state tag tags keywords area field sector "
    "region country date day month year created updated rater annotator reviewer user score rating "
    "grade rank verdict context format license unit priority metadata rubric criteria checklist "
    "sources citations references tool_calls search_results annotations system_prompt Quellen "
    "error errors exception traceback arguments usage token_usage nuggets key_points rubrics "
    "备注 评分 时间 评语"
)
_REMARK_HEADS: Final = (
    "comment comments note notes remark remarks feedback rationale reasoning justification reason "
    "explanation critique Bemerkung Bemerkungen Kommentar Anmerkung Anmerkungen Begründung "
    "commentaire commentaires remarque remarques comentario comentarios observaciones コメント 備考"
)
_TARGETS: Final = frozenset(map(plain, _TARGET_HEADS.split()))
_REMARKS: Final = frozenset(map(plain, _REMARK_HEADS.split()))
_OTHERS: Final = frozenset(map(plain, _OTHER_HEADS.split()))
"""Names of columns that everybody reads as nothing that is looked for."""
_EXPECTED: Final = re.compile(
    r"expected|ideal|gold|reference|referen[cz]|correct|solution|muster|erwart|l(ö|oe)sung|"
    r"attendu|corrigé|espera[dt]|correcta|atteso|gabarito|эталон|ожидаем|参考|标准|標準|正解|模範|정답|모범",
    re.IGNORECASE,
)
"""What names of answers have that may be the right ones: it orders what is asked."""


def may_be_expected(name: str) -> bool:
    """Whether a column of this name may hold answers that are right."""
    return _EXPECTED.search(name) is not None


def is_other(name: str) -> bool:
    """Whether a column is called as what is no part of this."""
    return plain(name) in _OTHERS or is_remark(name) or is_target(name)


def is_remark(name: str) -> bool:
    """Whether a column is called as remarks are: `comments`, `Review notes`."""
    return not _REMARKS.isdisjoint([plain(name), *plain_words(name)[-1:]])


def plain_words(name: str) -> list[str]:
    """The words of a name, each as `plain` has it: of `actualOutput` actual and output."""
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    return [plain(each) for each in _MARKS.split(apart) if each]


@lru_cache(maxsize=16384)
def is_known(name: str, part: ColumnPart, weak: int) -> bool:
    """Whether a column is called as this is, by the names of this weakness; also in the plural."""
    bare = plain(name)
    known = KNOWN[part][weak]
    if part == "id" and not weak and _is_of_prompts(name):
        return True
    return bare in known or (
        part in ("prompt", "report") and len(bare) > 4 and bare.removesuffix("s") in known
    )


def _is_of_prompts(name: str) -> bool:
    """Whether it is called as prompts are and as their numbers: `Frage-Nr.`, `Pregunta ID`."""
    words = plain_words(name)
    return (
        len(words) == 2
        and any(words[0] in each for each in KNOWN["prompt"][:2])
        and words[1] in KNOWN["id"][1]
    )


def is_weak(part: ColumnPart, name: str) -> bool:
    """Whether a column of this name is this only where no other is."""
    last = name.rpartition(".")[2]
    return any(is_known(last, part, weak) for weak in range(1, len(KNOWN[part])))


@lru_cache(maxsize=4096)
def is_head(name: str, part: ColumnPart | None = None) -> bool:
    """Whether a column is likely called so. part: as what, if not as anything."""
    return any(
        is_known(name, each, weak)
        for each in (KNOWN if part is None else (part,))
        for weak in range(len(KNOWN[each]))
    )


def is_target(name: str) -> bool:
    """Whether a column, or a field in a field, is called as answers are that are right."""
    inner = plain(name.rpartition(".")[2])
    named = {inner, inner.removesuffix("s"), plain(name)}
    return not _TARGETS.isdisjoint(named) or inner.startswith("expected")
