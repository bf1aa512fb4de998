"""The pages of a study: entering, rating, and what the leader sees. Loads Starlette."""

from __future__ import annotations

import hmac
import re
import secrets
from datetime import UTC, datetime
from functools import lru_cache
from importlib.resources import files
from math import isfinite
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.applications import Starlette
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from deepassay.errors import BadRunFile
from deepassay.runfile import Rating
from deepassay.runfile.annotating import TextName
from deepassay.runfile.questions import LONGEST_TEXT, Item, Question
from deepassay.text import visible_text
from deepassay.wings.people.annotate.book import LEADER, StudyBook
from deepassay.wings.people.annotate.exchange import as_decisions
from deepassay.wings.people.annotate.forms import (
    FilledForm,
    filled_before,
    kept,
    read_form,
    typed_key,
)
from deepassay.wings.people.annotate.spans import ShownText, spans_told
from deepassay.wings.people.annotate.words import LANGUAGES, WORDS, Language

MOST_SECONDS: Final = 7200.0
MOST_FIELDS: Final = 10_000
WEEK: Final = 7 * 86400
RENDERED: Final = 200
"""Texts that are kept as HTML."""

_PACKAGE: Final = files("deepassay.wings.people.annotate")
_PAGES: Final = Environment(
    loader=PackageLoader("deepassay.wings.people.annotate", "pages"),
    autoescape=True,
    undefined=StrictUndefined,
    finalize=visible_text,
)
_KIND: Final = {
    "style.css": "text/css",
    "keys.js": "text/javascript",
    "spans.js": "text/javascript",
}


class StudyApplication:
    """The application.

    port: which it is served on; cookies of other ports are others'. secure: whether a proxy with
    TLS is before it, so that no cookie goes another way.
    """

    def __init__(self, book: StudyBook, port: int, *, secure: bool = False) -> None:
        self._book = book
        self._cookie = f"assay-{port}"
        self._secure = secure
        # Several raters read a report one after the other, and a long one takes a while.
        self._shown = lru_cache(RENDERED)(lambda number, name: ShownText(book.text(number, name)))
        self.app = Starlette(
            routes=[
                Route("/", self._home, methods=["GET"]),
                Route("/enter", self._enter, methods=["GET", "POST"]),
                Route("/save", self._save, methods=["POST"]),
                Route("/back", self._back, methods=["POST"]),
                Route("/look", self._look, methods=["POST"]),
                Route("/lead", self._lead, methods=["GET"]),
                Route("/decisions.csv", self._decisions, methods=["GET"]),
                Route("/{name:str}", self._asset, methods=["GET"]),
            ],
            exception_handlers={BadRunFile: self._unkept},
        )

    # Who asks

    def _who(self, request: Request) -> str | None:
        return self._book.holder(request.cookies.get(self._cookie, ""))

    def _form_key(self, rater: str) -> str:
        # The same after a restart, so that a page that is open can still be sent.
        return hmac.new(self._book.digest_of_key(rater), b"form", "sha256").hexdigest()

    async def _form(self, request: Request, rater: str) -> FormData | None:
        """The form, if this page of this rater sent it."""
        form = await request.form(max_files=0, max_fields=MOST_FIELDS)
        given = str(form.get("key", ""))
        return form if hmac.compare_digest(given.encode(), self._form_key(rater).encode()) else None

    async def _enter(self, request: Request) -> Response:
        """The key comes in the body of a form and never in an address, which others keep."""
        if request.method == "GET":
            return self._page(request, "enter.html.jinja", problem="")
        key = str((await request.form(max_files=0, max_fields=5)).get("token", ""))
        holder = self._book.holder(key)
        if holder is None:
            return self._page(request, "enter.html.jinja", status=403, problem="expired")
        response = RedirectResponse("/lead" if holder == LEADER else "/", 303)
        response.set_cookie(
            self._cookie, key, WEEK, httponly=True, samesite="strict", secure=self._secure
        )
        return response

    # Rating

    async def _home(self, request: Request) -> Response:
        rater = self._who(request)
        if rater is None:
            return RedirectResponse("/enter", 303)
        if rater == LEADER:
            return RedirectResponse("/lead", 303)
        if (number := self._book.to_look_at(rater)) is not None:
            return await self._second(request, rater, number)
        return self._item(request, rater)

    async def _second(self, request: Request, rater: str, number: int) -> Response:
        """What the judges said of an item that the rater has answered."""
        own = self._book.latest()[rater, number].answers or {}
        await self._book.shows_judges(rater, number, _now())
        item = self._book.shown(number)
        seen = {each.key: each for each in item.questions}
        return self._page(
            request,
            "second.html.jinja",
            **self._page_of_item(request, rater, number),
            number=number,
            opinions=[
                (
                    seen[each.key],
                    self._quote(number, seen[each.key]),
                    _in_words(each, own[each.key], item),
                    {
                        letter: said.model_copy(
                            update={"verdict": _in_words(each, said.verdict, item)}
                        )
                        for letter, said in self._book.masked(letters).items()
                    },
                )
                for each, letters in self._book.opinions(number)
            ],
            key=self._form_key(rater),
            form=secrets.token_hex(16),
            draft=f"{self._book.draft(rater, number)}-second",
        )

    def _texts(self, number: int) -> dict[TextName, ShownText]:
        """The texts of an item as they are shown."""
        return {name: self._shown(number, name) for name in self._book.items[number].texts}

    def _page_of_item(self, request: Request, rater: str, number: int) -> dict[str, Any]:
        """What stands on the left of an item."""
        table = WORDS[self._language(request, rater)]["table"]
        texts = {name: text.html(table) for name, text in self._texts(number).items()}
        return {
            "item": self._book.shown(number),
            "report": texts.get("first", ""),
            "rival": texts.get("second", ""),
        }

    def _quote(self, number: int, question: Question) -> str:
        """Where the sentence stands that a question is about; nothing where it does not."""
        told = self._shown(number, "first").told_quote(question.quote) if question.quote else None
        return f"{told[0]} {told[1]}" if told else ""

    async def _look(self, request: Request) -> Response:
        """Keep which judge a rater prefers, under whose letter only the file knows."""
        rater = self._who(request)
        form = await self._form(request, rater) if rater else None
        number = _number(form.get("item")) if form is not None else None
        if not rater or form is None or number != self._book.to_look_at(rater):
            return self._refused(request)
        assert number is not None
        answers = {}
        for at, (question, letters) in enumerate(self._book.opinions(number)):
            chosen = [letter for letter in letters if form.get(f"p{at}{letter}")]
            answers[question.key] = " ".join(letters[letter].judge for letter in chosen) or "none"
        name = str(form.get("form", ""))[:64] or secrets.token_hex(16)
        await self._book.keep(
            Rating(name, rater, number, answers, at=_now(), saw_judge=True, second=True)
        )
        return RedirectResponse("/", 303)

    def _item(
        self,
        request: Request,
        rater: str,
        given: FilledForm | None = None,
        status: int = 200,
        problem: str = "",
    ) -> Response:
        """The item that is next. given: a form that was not complete, or not kept; problem: why."""
        place = self._book.place(rater)
        if place.number is None:
            return self._page(request, "done.html.jinja", place=place, key=self._form_key(rater))
        item = self._book.shown(place.number)
        texts = self._texts(place.number)
        before = self._book.before(rater, place.number)
        if given is None:
            given = filled_before(before, item) if before is not None else FilledForm()
        return self._page(
            request,
            "item.html.jinja",
            status=status,
            place=place,
            **self._page_of_item(request, rater, place.number),
            given=given,
            quotes=[self._quote(place.number, question) for question in item.questions],
            spans=[
                spans_told(given.spans.get(question.key, ()), question, texts)
                for question in item.questions
            ],
            problem_of_all=problem,
            key_of=typed_key,
            longest=LONGEST_TEXT,
            key=self._form_key(rater),
            form=secrets.token_hex(16),
            draft=self._book.draft(rater, place.number),
            can_take_back=self._book.last(rater) is not None,
        )

    async def _save(self, request: Request) -> Response:
        rater = self._who(request)
        form = await self._form(request, rater) if rater else None
        if not rater or form is None:
            return self._refused(request)
        number = _number(form.get("item"))
        if number is None or not self._book.is_duty(rater, number):
            return self._refused(request)
        item = self._book.items[number]
        given = read_form(form, item, self._texts(number))
        if given.open:
            return self._item(request, rater, given, status=400)
        lines, comments = kept(given, item)
        rating = Rating(
            form=str(form.get("form", ""))[:64] or secrets.token_hex(16),
            rater=rater,
            item=number,
            answers=given.answers,
            note=given.note,
            seconds=_seconds(form.get("seconds")),
            at=_now(),
            saw_judge=self._book.saw_judge(rater, number),
            lines=lines,
            comments=comments,
            spans={key: each for key, each in given.spans.items() if each},
        )
        try:
            await self._book.keep(rating)
        except BadRunFile:
            if number != self._book.place(rater).number:  # another item would come with the form
                raise
            return self._item(request, rater, given, status=507, problem="unkept")
        return RedirectResponse("/", 303)

    async def _back(self, request: Request) -> Response:
        """Take the last rating back; what was said stays in the history, and in the form."""
        rater = self._who(request)
        form = await self._form(request, rater) if rater else None
        if not rater or form is None:
            return self._refused(request)
        number = self._book.last(rater)
        if number is not None:
            name = str(form.get("form", ""))[:64] or secrets.token_hex(16)
            await self._book.keep(Rating(f"back/{name}", rater, number, None, at=_now()))
        return RedirectResponse("/", 303)

    # For the leader

    async def _lead(self, request: Request) -> Response:
        if self._who(request) != LEADER:
            return self._refused(request)
        return self._page(
            request,
            "lead.html.jinja",
            progress=self._book.progress(),
            agreement=self._book.agreement(),
            marked=[each for each in self._book.marked() if each.compared],
            notes=[
                (each.rater, self._book.items[each.item].task, each.note)
                for each in self._book.latest().values()
                if each.note
            ],
        )

    async def _decisions(self, request: Request) -> Response:
        if self._who(request) != LEADER:
            return self._refused(request)
        return Response(
            as_decisions(self._book),
            media_type="text/csv; charset=utf-8",
            headers={"content-disposition": "attachment; filename=decisions.csv"},
        )

    # Pages

    async def _asset(self, request: Request) -> Response:
        name = request.path_params["name"]
        if name == "favicon.ico":  # asked for by every browser
            return Response(status_code=204)
        if name not in _KIND:
            return self._page(request, "refused.html.jinja", status=404, problem="refused")
        return Response((_PACKAGE / name).read_bytes(), media_type=_KIND[name])

    def _language(self, request: Request, who: str | None) -> Language:
        """What was said of a rater, or of the study; else what the browser asks for."""
        said = self._book.languages
        return said.get(who or "") or said.get("") or _asked_language(request)

    def _refused(self, request: Request) -> Response:
        return self._page(request, "refused.html.jinja", status=403, problem="refused")

    async def _unkept(self, request: Request, error: Exception) -> Response:
        """A sentence for whoever sent what could not be written; nothing acknowledged is lost."""
        return self._page(request, "refused.html.jinja", status=507, problem="unread_study")

    def _page(
        self, request: Request, name: str, status: int = 200, **values: object
    ) -> HTMLResponse:
        """A page: what it says is in the language of whoever asks, not in that of the item."""
        language = self._language(request, self._who(request))
        html = _PAGES.get_template(name).render(words=WORDS[language], lang=language, **values)
        return HTMLResponse(html, status)


def _in_words(question: Question, said: str, item: Item) -> str:
    """An answer in the words that the page had; of a judge, also one that the menu has not.

    Of two reports the value would tell which is whose.
    """
    chosen = next((each for each in question.menu if each.value == said), None)
    if chosen is None:
        return said
    return chosen.zh if item.language == "zh" else chosen.en


def _asked_language(request: Request) -> Language:
    """The first language of a browser that the pages have; English where there is none."""
    header = request.headers.get("accept-language", "")
    asked: list[tuple[float, Language]] = []
    for part in header.split(",")[:20]:
        name, _, more = part.partition(";")
        found = next((each for each in LANGUAGES if name.strip().lower().startswith(each)), None)
        weight = re.fullmatch(r"\s*q=([01](?:\.\d{0,3})?)\s*", more)
        if found:
            asked.append((float(weight[1]) if weight else 1.0, found))
    return max(asked, key=lambda each: each[0], default=(0.0, LANGUAGES[0]))[1]


def _number(given: object) -> int | None:
    text = str(given)
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


def _seconds(given: object) -> float:
    try:
        seconds = float(str(given))
    except ValueError:
        return 0.0
    return min(max(seconds, 0.0), MOST_SECONDS) if isfinite(seconds) else 0.0


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
