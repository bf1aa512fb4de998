"""Whether what a server sent as a page is that page: told by its form, and by few words.

Servers say status 200 of what is gone, behind a login, a wall of consent or of payment, or drawn
by scripts alone. Signs without words come first: where redirects ended, metadata
(`isAccessibleForFree`, `prerender-status-code`), elements that scripts would fill, forms, and how
much is said outside of menus and links. Words count in titles, headings and short blocks only, and
nowhere where a page says much: a page that speaks of captchas, paywalls, cookies or missing pages
is a page. In doubt it is a page.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import Final
from urllib.parse import urljoin

from deepassay.sources.address import host_of, is_about, is_home, query_of, same_site
from deepassay.sources.look import Block, Look, look_at, weight
from deepassay.sources.page import Failure, NoText
from deepassay.sources.words import says

# Amounts of text, as `weight` counts.
LITTLE: Final = 40  # a title, a copyright line, "Loading"
NOTICE: Final = 250  # an excuse
EXCUSE: Final = 600  # with advice where to go instead
TEASER: Final = 900
LOCKED: Final = 2_500  # a teaser, where metadata say that there is more
MUCH: Final = 20_000  # whatever else stands there, it is a page
HEADING: Final = 120  # a heading, or a notice in a block of its own


def class_of(markup: str, title: str, amount: int, asked: str, final: str) -> NoText | None:
    """Why an HTML page is not the one that was asked for, or None if it is, as far as can be seen.

    amount: of the text that was read off it, as `weight` counts. asked, final: addresses, of the
    citation and where redirects led.
    """
    plain = amount > MUCH and not _says_gone(title)  # only its address can tell
    look = Look(title=title, said=amount, shown=amount) if plain else look_at(markup)
    for failure, rule in _RULES:
        if detail := rule(look, asked, final):
            return NoText(failure, detail)
    return None


def class_of_text(title: str, text: str, asked: str, final: str) -> NoText | None:
    """The same for a page of which there is the text only, plain or in Markdown."""
    look = Look(title=title, said=weight(text), shown=weight(text))
    if home := _home(look, asked, final):
        return NoText(Failure.REDIRECTED_HOME, home)
    if look.said < NOTICE and not is_about(_GONE_PATH, asked):
        for line in text.strip().splitlines():
            tag = "h1" if line.startswith("# ") or not look.blocks else "p"
            look.blocks.append(Block(tag, [line.lstrip("# ")], weight(line)))
        if _reads_as_gone(look, final):
            return NoText(Failure.GONE, NOT_THERE)
    return None


def _home(look: Look, asked: str, final: str) -> str:
    """A deep link that led to the front page of the same site."""
    if is_home(asked) or not final:
        return ""
    if is_home(final) and same_site(asked, final):
        return "The address leads to the front page of its site."
    told = [look.canonical, look.meta.get("og:url", "")]
    if (
        look.meta.get("og:type", "").lower() == "website"
        and all(each and is_home(urljoin(final, each)) for each in told)
        and "website" in _types(look)
        and not _is_article(look)
    ):
        return "Instead of the page there was the front page of its site."
    refresh = re.search(r"url\s*=\s*['\"]?([^'\"\s]*)", look.meta.get("refresh", ""), re.IGNORECASE)
    sent = refresh[1] if refresh else look.leads if look.said < LITTLE else ""
    if sent and look.said < NOTICE and is_home(urljoin(final, sent)):
        return "The page sends its visitors to the front page of its site."
    return ""


def _types(look: Look) -> set[str]:
    """The types of all objects in its JSON-LD, in lower case."""
    found: set[str] = set()
    for each in look.data:
        kind = each.get("@type")
        kinds = kind if isinstance(kind, list) else [kind]
        found.update(name.lower() for name in kinds if isinstance(name, str))
    return found


def _is_article(look: Look) -> bool:
    """Whether its metadata call it an article, or date it."""
    dated = {"article:published_time", "citation_title", "citation_publication_date"}
    articles = (name for name in _types(look) if name.endswith(("article", "posting", "report")))
    return bool(dated & look.meta.keys()) or any(articles)


NOT_THERE: Final = "Instead of the page there was a notice that it is not there."

_GONE_PATH: Final = re.compile(
    r"(?<![0-9a-z])(?:404|410|(?:page-?)?not-?found|errors?)(?![0-9])", re.IGNORECASE
)
_GONE_NAME: Final = re.compile(
    r"/(?:(?:error|http)[-_]?)?(?:404|410)(?:[-_](?:error|page|not-?found))?(?:\.\w+)?/?$"
    r"|/(?:page-?)?not-?found(?:\.\w+)?/?$",
    re.IGNORECASE,
)
"""The path of a page for what is not there, however much it says."""
_ASKS: Final = re.compile("[?？؟]")
_NUMBER: Final = re.compile(
    r"\W*(?:(?:http|error|erreur|fehler|errore?|ошибка|خطأ|错误|錯誤|エラー|出错[了啦]?)\W*)?"
    r"(?:404|410)?\W*",
    re.IGNORECASE,
)
"""A heading that says nothing but a number, or that there is an error."""
_DATE: Final = re.compile(r"(?:19|20)[0-9]{2}[-/.年][0-9]|[0-9]{1,2}:[0-9]{2}")
_HOST_NAME: Final = re.compile(r"[\w-]+(?:\.[\w-]+)+")
_SEARCH: Final = re.compile(r"(?:^|&)(?:s|q|query|search|keywords?|wd)=", re.IGNORECASE)
_ASIDE: Final = re.compile(
    r"404|410|[^\w\s]|\b(?:http|error|erreur|fehler|errore|erro|ошибка|oops|sorry|خطأ)\b"
    r"|错误|錯誤|エラー|오류|抱歉|对不起|對不起",
    re.IGNORECASE,
)
_STOCK: Final = frozenset(
    {
        *("page not found", "not found"),
        *("page does not exist", "page no longer exists", "page cannot be found"),
        *("页面不存在", "网页不存在", "内容不存在", "页面未找到", "找不到页面", "找不到网页"),
        *("頁面不存在", "網頁不存在", "找不到頁面", "找不到網頁"),
        *("seite nicht gefunden", "page introuvable", "page non trouvée"),
        *("página no encontrada", "página não encontrada", "pagina non trovata"),
        *("страница не найдена", "ページが見つかりません", "ページが見つかりませんでした"),
        *("페이지를 찾을 수 없습니다", "الصفحة غير موجودة", "لم يتم العثور على الصفحة"),
    }
)
"""Titles as the programs that manage sites print them."""

_SEPARATORS: Final = re.compile(r"\s[-–—|·•:»›/~]+\s|[|–—·•»›_]|[:：]\s")


def _says_gone(heading: str) -> bool:
    """Whether a part of a title is the stock phrase for what is not there."""
    if weight(heading) > HEADING:
        return False
    parts = (_ASIDE.sub(" ", each) for each in (heading, *_SEPARATORS.split(heading)))
    return any(" ".join(part.split()).lower() in _STOCK for part in parts)


def _gone(look: Look, asked: str, final: str) -> str:
    status = look.meta.get("prerender-status-code", look.meta.get("status", "")).strip()[:3]
    if status in ("404", "410"):
        return f"The page says of itself that its status is {status}."
    if is_about(_GONE_PATH, asked):
        return ""
    if any(
        is_about(_GONE_NAME, each) for each in (final, look.canonical, look.meta.get("og:url", ""))
    ):
        return NOT_THERE
    if look.said >= EXCUSE or _is_article(look):
        return ""
    if same_site(asked, final) and _SEARCH.search(query_of(final)) and not query_of(asked):
        return NOT_THERE
    return NOT_THERE if is_about(_GONE_PATH, final) or _reads_as_gone(look, final) else ""


def _reads_as_gone(look: Look, final: str) -> bool:
    heads = [*look.headings, look.meta.get("og:title", "")]
    if any(map(_says_gone, heads)):
        return True
    told = [each for each in look.sentences if not _asks(each)]
    heads = [each for each in heads if weight(each) <= HEADING and not _asks(each)]
    if any(says(each, "denied") for each in [*heads, *told[:_FIRST]]):
        return False
    # What makes up most of a page stands at its head, if it speaks of this page.
    whole = (each for each in told if look.said <= weight(each) * 2 <= 2 * HEADING)
    heads.extend(each for each in whole if says(each, "this"))
    if _is_broken(look, heads, told):
        return True
    if look.said < NOTICE and (look.error or any(map(_says_gone, heads))):
        return True
    dated = look.dated or any(map(_DATE.search, told))
    needed = 3 + (look.said > NOTICE / 2) + (look.said > NOTICE) + dated
    return _signs(look, heads, told, final) >= needed


def _is_broken(look: Look, heads: list[str], told: list[str]) -> bool:
    """Whether an error of the server, or the name of a domain that is for sale, is all it says."""
    named = [each for each in look.headings if each]
    if not named:
        return look.said < NOTICE and any(says(each, "broken") for each in told[:_FIRST])
    if look.said < LITTLE and all(map(_HOST_NAME.fullmatch, named[:2])):
        return True
    return look.said < NOTICE / 2 and any(says(each, "broken") for each in heads)


def _asks(text: str) -> bool:
    """Whether it is a question, or the title of an answer to one."""
    return bool(_ASKS.search(text)) or says(text.split(" ", 1)[0], "how")


def _signs(look: Look, heads: list[str], told: list[str], final: str) -> int:
    """How much speaks for an excuse; nothing where it neither says nor numbers what is missing."""
    absent = [each for each in told if says(each, "absent")]
    core = sum(
        (
            2 * any(says(each, "absent", "thing") for each in heads)
            or any(says(each, "thing") for each in absent),
            any(says(each, "absent", "thing", "this") for each in [*heads, *told]),
            2 * any(says(each, "asked") for each in absent),
        )
    )
    parts = ([part for part in _SEPARATORS.split(each) if weight(part)] for each in heads)
    number = sum(any(map(_NUMBER.fullmatch, each)) for each in parts)
    number = min(number, 2) + (number > 0 and look.said < NOTICE / 2)
    if core + number < 2:
        return 0
    text = " ".join(told) if core else ""
    return sum(
        (
            *(core, number, look.said < LITTLE, "noindex" in look.meta.get("robots", "").lower()),
            look.search or says(text, "search"),
            _leads_home(look, final) or says(text, "home"),
            *(says(text, idea) for idea in ("sorry", "moved", "address")),
        )
    )


def _leads_home(look: Look, final: str) -> bool:
    """Whether the page itself, not its frame, has a link to the front page."""
    return any(each and is_home(urljoin(final, each)) for each in [*look.links, look.leads])


_FIRST: Final = 3  # texts at the beginning
_REFUSAL: Final = re.compile(
    r"\W*(?:(?:http|error)\W*)?(?:(?:401|403|429|451)\W*)?(?:access denied|forbidden|unauthorized"
    r"|too many requests|request blocked|unavailable for legal reasons)\W*",
    re.IGNORECASE,
)
_GATE_PATH: Final = re.compile(
    r"(?<![a-z])(?:log-?in|sign-?in|sign-?on|sso|oauth2?|authorize|account/auth|passport|auth|cas|"
    r"captcha|challenge|verify|consent|cookie-?wall|privacy-?wall|cookies?|datenschutz|privacy)"
    r"(?![a-z])",
    re.IGNORECASE,
)


_SIGN_IN: Final = re.compile(
    r"(?<![a-z])(?:log-?in|sign-?in|sso|oauth2?|auth|account|passport|register)(?![a-z])",
    re.IGNORECASE,
)


def _blocked(look: Look, asked: str, final: str) -> str:
    if is_about(_GATE_PATH, asked) or look.said >= NOTICE:
        return ""
    host = host_of(final)
    if is_about(_GATE_PATH, final) or host.startswith(("consent.", "login.", "passport.")):
        return "The address leads to a login, a check or a question for consent."
    if look.captcha and look.fields <= 1 and not _is_article(look):
        return "Instead of the page there was a check for robots."
    if look.passwords:
        return "Instead of the page there was a login."
    if look.consent > LITTLE and look.said < LITTLE and look.buttons:
        return "Instead of the page there was a question for consent."
    return "" if _is_article(look) else _refused(look)


def _refused(look: Look) -> str:
    """A refusal in words, at the beginning of a page that says little."""
    heads = [
        part
        for each in look.headings
        if not _asks(each)
        for part in _SEPARATORS.split(each)
        if weight(part) <= HEADING
    ]
    short = look.said < NOTICE / 2
    texts = (each.text for each in look.blocks if each.text)
    first = [*heads, *(each for each in islice(texts, _FIRST) if short and not _asks(each))]
    acts = look.buttons + look.fields > 0
    gates = acts or any(map(_SIGN_IN.search, look.links))
    if any(map(_REFUSAL.fullmatch, heads)) or any(says(each, "denied") for each in first):
        return "Instead of the page there was a refusal."
    if (acts or look.scripts) and any(says(each, "human") for each in first):
        return "Instead of the page there was a check for robots."
    if short and gates and any(says(each, "login") for each in heads if weight(each) < LITTLE):
        return "Instead of the page there was a login."
    if look.buttons and _asks_consent(look):
        return "Instead of the page there was a question for consent."
    return ""


def _asks_consent(look: Look) -> bool:
    """Whether most of what it says is about consent, and a button gives it."""
    about = sum(each.said for each in look.blocks if says(each.text, "consent"))
    agrees = any(not each.said and says(each.text, "agree") for each in look.blocks)
    return about > look.said / 2 and agrees


_TIER: Final = frozenset({"locked", "metered", "premium", "paid", "subscription"})
_SELL: Final = re.compile(
    r"subscri|suscri|inscri|abonn|/abo|premium|member|log-?in|sign-?in|register|checkout|offer|join"
    r"|vip|/plus|pay",
    re.IGNORECASE,
)


def _paywalled(look: Look, asked: str, final: str) -> str:
    if look.said < LOCKED and _is_locked(look) and not _is_whole(look):
        return "The metadata of the page say that it is not free, and only its beginning came."
    if look.said >= TEASER:
        return ""
    offers = bool(look.buttons) or any(_SELL.search(each) for each in look.links)
    if look.wall > LITTLE // 2 and offers:
        return "After its beginning the page asks for a subscription."
    if offers and not is_about(_SELL, asked) and any(map(_is_wall, look.blocks[1:])):
        return "After its beginning the page asks for a subscription."
    return ""


def _is_wall(block: Block) -> bool:
    """Whether a short block offers the rest to those who pay or sign in."""
    text = block.text
    if block.tag == "h1" or weight(text) > HEADING:
        return False
    return says(text, "pay", "rest") and not says(text, "letter")


def _is_locked(look: Look) -> bool:
    said = (str(each.get("isAccessibleForFree")).lower() for each in look.data)
    tiers = (
        look.meta.get(name, "") for name in ("article:content_tier", "og:article:content_tier")
    )
    return "false" in said or any(tier.lower() in _TIER for tier in tiers)


def _is_whole(look: Look) -> bool:
    """Whether at least most of the words came of which its metadata count so many."""
    counts = [str(each.get("wordCount")) for each in look.data]
    words = [int(each) for each in counts if each.isdecimal()]
    return bool(words) and look.said >= 3 * max(words)


def _script_only(look: Look, asked: str, final: str) -> str:
    detail = "The page is drawn by scripts; without them it says nothing."
    if not look.scripts or look.said >= NOTICE / 2:
        return ""
    waits = sum(
        each.said
        for each in look.blocks
        if 0 < each.said < LITTLE and each.tag != "h1" and says(each.text, "wait")
    )
    said = look.said - max(look.mounted, waits)
    asks = "javascript" in look.noscript.lower()
    if said <= LITTLE // 2 and (look.mount or waits > 0) and look.said <= 2 * LITTLE:
        return detail
    if look.said <= LITTLE and asks:
        return detail
    if look.said == 0 and not look.links and look.shown <= NOTICE:
        return detail
    named = sum(each.said for each in look.blocks if "javascript" in each.text.lower())
    about = _is_article(look) or any("javascript" in each.lower() for each in look.headings)
    return detail if not about and named > look.said / 2 else ""


_RULES: Final = (
    (Failure.REDIRECTED_HOME, _home),
    (Failure.GONE, _gone),
    (Failure.BLOCKED, _blocked),
    (Failure.PAYWALLED, _paywalled),
    (Failure.SCRIPT_ONLY, _script_only),
)
