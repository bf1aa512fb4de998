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
from typing import Final
from urllib.parse import unquote, urljoin, urlsplit

from deepassay.sources.look import Look, look_at, weight
from deepassay.sources.page import Failure, NoText

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
    lines = [line.lstrip("# ").strip() for line in text.strip().split("\n", 3)[:2]]
    found = any(_says_gone(each) for each in (title, *lines))
    if found and look.said < NOTICE and not _is_topic(_GONE_PATH, asked):
        return NoText(Failure.GONE, NOT_THERE)
    return None


# ------------------------------------------------------------------ redirected to the front page

_HOME_NAME: Final = re.compile(
    r"(?:index|default|home|main)(?:\.\w{2,5})?"
    r"|(?:en|zh|de|fr|es|pt|it|ja|ko|ru|ar|nl|pl|sv|da|no|nb|fi|tr|cs|he|hi|id|vi|th|uk|el|hu|ro)"
    r"(?:[-_][a-z]{2,4})?",
    re.IGNORECASE,
)


def _home(look: Look, asked: str, final: str) -> str:
    """A deep link that led to the front page of the same site."""
    if _is_home(asked) or not final:
        return ""
    if _site(asked) == _site(final) and _is_home(final):
        return "The address leads to the front page of its site."
    told = [look.canonical, look.meta.get("og:url", "")]
    if (
        look.meta.get("og:type", "").lower() == "website"
        and all(each.startswith("http") and _is_home(each) for each in told)
        and _types(look) & {"website"}
        and not _is_article(look)
    ):
        return "Instead of the page there was the front page of its site."
    refresh = re.search(r"url\s*=\s*['\"]?([^'\"\s]*)", look.meta.get("refresh", ""), re.IGNORECASE)
    if refresh and look.said < NOTICE and _is_home(refresh[1]):
        return "The page sends its visitors to the front page of its site."
    return ""


def _is_home(url: str) -> bool:
    parts = _parts(url)
    if parts is None or parts[2]:
        return False
    names = [name for name in parts[1].split("/") if name]
    return len(names) <= 2 and all(_HOME_NAME.fullmatch(name) for name in names)


def _site(url: str) -> str:
    """The host without the label that only names a variant of the site."""
    parts = _parts(url)
    return "" if parts is None else re.sub(r"^(?:www\d?|m|mobile|amp)\.", "", parts[0])


def _parts(url: str) -> tuple[str, str, str] | None:
    """Host, path and query."""
    try:
        split = urlsplit(url)
        return split.hostname or "", unquote(split.path), split.query
    except ValueError:
        return None


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


# ------------------------------------------------------------------ gone

NOT_THERE: Final = "Instead of the page there was a notice that it is not there."

_GONE_PATH: Final = re.compile(
    r"(?<![0-9a-z])(?:404|410|(?:page-?)?not-?found|errors?)(?![0-9])", re.IGNORECASE
)
_NUMBER: Final = re.compile(r"\W*(?:http\s?)?(?:404|410)\W*", re.IGNORECASE)
_ASIDE: Final = re.compile(
    r"404|410|[^\w\s]|\b(?:http|error|erreur|fehler|errore|erro|ошибка|oops|sorry|خطأ)\b"
    r"|错误|錯誤|エラー|오류|抱歉|对不起|對不起",
    re.IGNORECASE,
)
_STOCK: Final = frozenset(
    {
        *("page not found", "not found", "file not found", "content not found"),
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

# A thing, and that it is not there: how sites of their own wit put it.
_THING: Final = re.compile(
    r"\b(?:page|article|story|content|post|link|video|product)\b|页面|网页|頁面|網頁|文章|内容|链接"
    r"|\bseite|\bartikel|\bbeitrag|\bpágina|\bartículo|\bcontenido|\bpagina|\bartigo|страниц|стать"
    r"|материал|ページ|記事|페이지|صفحة|المقال",
    re.IGNORECASE,
)
_ABSENT: Final = re.compile(
    r"\b(?:not|cannot|missing|gone|removed|deleted|expired|nicht|kein|gelöscht|no|não"
    r"|eliminad[oa]|non|introuvable|supprimée?|plus|pas|нет|не"
    r"|удален\w?|لم|لا|غير|حذف)\b"
    r"|n['’]t\b|不存在|不见|找不到|未找到|没有|删除|刪除|下架|失效|ません|ない|削除|없|삭제",
    re.IGNORECASE,
)
_SEPARATORS: Final = re.compile(r"\s[-–—|·•:»›/~]+\s|[|–—·•»›_]|[:：]\s")


def _says_gone(heading: str) -> bool:
    """Whether a part of a title is the stock phrase for what is not there."""
    if weight(heading) > HEADING:
        return False
    parts = (_ASIDE.sub(" ", each) for each in (heading, *_SEPARATORS.split(heading)))
    return any(" ".join(part.split()).lower() in _STOCK for part in parts)


def _may_say_gone(heading: str) -> bool:
    """Whether a heading may say so in other words, and asks nothing."""
    if weight(heading) > HEADING or re.search("[?？؟]", heading):
        return False
    number = bool(_NUMBER.fullmatch(heading))
    return number or bool(_THING.search(heading) and _ABSENT.search(heading))


def _is_topic(pattern: re.Pattern[str], asked: str) -> bool:
    """Whether the address that was asked for says itself what the page is about."""
    parts = _parts(asked)
    return parts is not None and bool(pattern.search(parts[1]))


def _gone(look: Look, asked: str, final: str) -> str:
    status = look.meta.get("prerender-status-code", look.meta.get("status", "")).strip()[:3]
    if status in ("404", "410"):
        return f"The page says of itself that its status is {status}."
    if _is_topic(_GONE_PATH, asked) or look.said >= EXCUSE:
        return ""
    if _is_topic(_GONE_PATH, final):
        return NOT_THERE
    return "" if _is_article(look) or not _reads_as_gone(look, final) else NOT_THERE


def _reads_as_gone(look: Look, final: str) -> bool:
    if any(map(_says_gone, look.headings)):
        return True
    if look.said >= NOTICE:
        return False
    if look.error or any(_says_gone(each.text) for each in look.blocks):
        return True
    # Other words, or a number alone, may be what a page is about: another sign is needed.
    bare = look.said < LITTLE or "noindex" in look.meta.get("robots", "").lower()
    return any(map(_may_say_gone, look.headings)) and (bare or _leads_home(look, final))


def _leads_home(look: Look, final: str) -> bool:
    """Whether the page itself, not its frame, has a link to the front page."""
    return any(each and _is_home(urljoin(final, each)) for each in look.links)


# ------------------------------------------------------------------ blocked

_GATE_PATH: Final = re.compile(
    r"(?<![a-z])(?:log-?in|sign-?in|sign-?on|sso|oauth2?|authorize|account/auth|passport|auth|cas|"
    r"captcha|challenge|verify|consent|cookie-?wall|privacy-?wall|cookies?|datenschutz|privacy)"
    r"(?![a-z])",
    re.IGNORECASE,
)


def _blocked(look: Look, asked: str, final: str) -> str:
    if _is_topic(_GATE_PATH, asked) or look.said >= NOTICE:
        return ""
    host = (_parts(final) or ("", "", ""))[0]
    gate = _is_topic(_GATE_PATH, final) or host.startswith(("consent.", "login.", "passport."))
    if gate:
        return "The address leads to a login, a check or a question for consent."
    if look.captcha and look.fields <= 1 and not _is_article(look):
        return "Instead of the page there was a check for robots."
    if look.passwords:
        return "Instead of the page there was a login."
    if look.consent > LITTLE and look.said < LITTLE and look.buttons:
        return "Instead of the page there was a question for consent."
    return ""


# ------------------------------------------------------------------ paywalled

_WALL: Final = re.compile(
    r"(?:subscribe|log ?in|sign ?in|register|join|become a (?:member|subscriber)|already a "
    r"subscriber).{0,40}(?:to (?:continue|keep|read|unlock|access)|reading|full (?:article|story|"
    r"access))|(?:continue|keep) reading (?:with|by|for)|(?:this|the) (?:article|story|content) is "
    r"(?:only )?(?:for|reserved|available|exclusive).{0,30}(?:subscribers|members)"
    r"|(?:剩余|余下|以下|本文|全文|此|该).{0,14}(?:付费|订阅|会员|付費|訂閱|會員).{0,20}"
    r"|(?:订阅|付费|购买|登录|开通会员|登錄|訂閱|付費).{0,8}(?:后|後|即可|以|才能)?.{0,4}(?:继续阅读|阅读全文|查看全文|"
    r"解锁|解鎖|繼續閱讀|閱讀全文)",
    re.IGNORECASE,
)
_TIER: Final = frozenset({"locked", "metered", "premium", "paid", "subscription"})
_SELL: Final = re.compile(
    r"subscri|abonn|/abo|premium|member|log-?in|sign-?in|register|checkout|offer|vip|/plus|pay",
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
    walls = (each.text for each in look.blocks if weight(each.text) <= HEADING)
    if offers and any(_WALL.match(each) for each in walls):
        return "After its beginning the page asks for a subscription."
    return ""


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


# ------------------------------------------------------------------ drawn by scripts

_ENABLE: Final = re.compile(
    r"javascript.{0,80}(?:enabl|requir|need|turn|activ|aktiv|disabl|deaktiv|désactiv"
    r"|habilit|abilit|启用|啟用|开启|禁用|有効|無効|включ|отключ|사용|활성|تفعيل)"
    r"|(?:enabl|requir|need|turn on|activ|aktiv|habilit|abilit|启用|啟用|开启|有効|включ|활성"
    r"|تفعيل).{0,40}javascript",
    re.IGNORECASE | re.DOTALL,
)


def _script_only(look: Look, asked: str, final: str) -> str:
    detail = "The page is drawn by scripts; without them it says nothing."
    if not look.scripts:
        return ""
    asks = bool(_ENABLE.search(look.noscript))
    if look.mount and look.said <= LITTLE and look.said <= look.mounted + LITTLE // 2:
        return detail
    if look.said <= LITTLE and asks:
        return detail
    if look.said == 0 and not look.links and look.shown <= NOTICE:
        return detail
    if look.mount and look.said < 2 * LITTLE and any(_ENABLE.search(b.text) for b in look.blocks):
        return detail
    return ""


_RULES: Final = (
    (Failure.REDIRECTED_HOME, _home),
    (Failure.GONE, _gone),
    (Failure.BLOCKED, _blocked),
    (Failure.PAYWALLED, _paywalled),
    (Failure.SCRIPT_ONLY, _script_only),
)
