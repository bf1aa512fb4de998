"""What is said first: who judged, who is ahead of whom, how sure that is, and what would change it.

It is read off comparisons, as `leads` has them under each protocol.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final

from deepassay.results.aggregate import means_of_tasks
from deepassay.results.comparing import Contest, leading
from deepassay.results.leads import (
    ALONE,
    BLIND,
    MOST_TASKS,
    NAMED,
    LeadingPair,
    causes_told,
    enumerated,
    for_pairs,
    lead_of,
    p_told,
    said_of,
    some,
    units_of,
    without_score,
)
from deepassay.results.overview import OFFLINE_NOTE, PANEL_NOTE
from deepassay.results.ranking import ArrangedBoards, Board, arranged
from deepassay.results.reading import Records
from deepassay.results.records import NO_READING, UNKNOWN, UNSTATED, Judged, is_offline
from deepassay.results.score_and_mean import MEAN
from deepassay.results.shortfalls import judge_told, shortfalls
from deepassay.results.standings import RANKED_FROM
from deepassay.results.surface import is_surface
from deepassay.results.tables import (
    ends_of,
    in_range,
    several,
)
from deepassay.score import Signature
from deepassay.stats.ranks import TIE

MOST: Final = 2
"""Leads that are told with their figures."""

SHOWN: Final = 2
"""Protocols that are named where nobody knows how often their judge errs."""

RULES: Final = "rules, without a model"
PANEL: Final = "a panel"

MIXED: Final = "These scores were not made by one recipe, so nobody is ahead of anybody."


UNJUDGED: Final = (
    "No model judged, so nobody is said to be better: what code reads off the reports stands here. "
    "`deepassay evaluate --judge PROVIDER:NAME` has a model judge."
)


def contests_of(
    boards: Sequence[Board], records: Sequence[Judged] | Records
) -> tuple[tuple[Contest, ...], list[str]]:
    """Who leads each ranking over all tasks, and the protocols whose scores have several recipes.

    records: those that are ranked.
    """
    whole = [each for each in boards if each.label is None]
    mixed = [e.protocol for e in whole if len(e.recipes) > 1 or UNSTATED in e.notices]
    return leading(records, {each.protocol for each in whole} - {*mixed}), mixed


def said_first(boards: Sequence[Board], records: Sequence[Judged] | Records) -> tuple[str, ...]:
    """The opening of rankings, of which those that are closed have nothing to say.

    records: those that are ranked.
    """
    found = arranged(boards)
    shown = () if _is_unjudged(found) else found.opened or boards
    return (*shortfalls(*boards), *opening_of(found, *contests_of(shown, records)))


def opening_of(
    found: ArrangedBoards, contests: Sequence[Contest], mixed: Sequence[str]
) -> tuple[str, ...]:
    """The opening from what `contests_of` gives for some of the rankings."""
    if _is_unjudged(found):
        return (UNJUDGED,)
    closed = {board.protocol for board in found.closed}
    return opening(
        [each for each in contests if each.protocol not in closed],
        [name for name in mixed if name not in closed],
        {board.protocol for board in found.opened if board.known},
    )


def _is_unjudged(found: ArrangedBoards) -> bool:
    """Whether nothing that has a score says who is better."""
    return not found.opened and bool(found.closed or found.read_off)


def opening(
    contests: Sequence[Contest], mixed: Sequence[str] = (), known: Collection[str] = ()
) -> tuple[str, ...]:
    """Paragraphs to open with: who judged, then what the scores say; cuts by a label are left out.

    mixed: protocols whose scores were made by several recipes, of which there is no contest. known:
    those above which stands what a file knows of the judge.
    """
    whole = [e for e in contests if e.label is None and not is_surface(e.protocol)]
    told = [_who_judged(whole, known)] if whole else []
    if len(whole) == 1 and not mixed:
        told.append(said_of(whole[0]))
    elif whole:
        told += _across(whole)
    if mixed:
        told.append(f"By {some(mixed)}: {MIXED[0].lower()}{MIXED[1:]}")
    return tuple(filter(None, told))


def _who_judged(contests: Sequence[Contest], known: Collection[str]) -> str:
    """Who, how much of what, and that nobody knows how well, unless that stands above a ranking."""
    size = _size(contests)
    if all(each.offline for each in contests):
        return f"{OFFLINE_NOTE} {size}."
    more = f" {PANEL_NOTE}" if any(each.offline_in_panel for each in contests) else ""
    unknown = errors_unknown({e.protocol: e.recipe for e in contests if e.contestants}, known)
    return f"Judged by {judges_told(contests)}: {size}.{more} {unknown}".rstrip()


def errors_unknown(recipes: Mapping[str, Signature], known: Collection[str]) -> str:
    """That nobody knows here how often a judge errs; empty where somebody does, or none judged.

    recipes: of protocols with a score. known: those above which stands what a file knows of the
    judge. What the offline baseline is worth is said where it judged all.
    """
    who = {name: _judges(recipe) for name, recipe in recipes.items()}
    judged = {name: judge for name, judge in who.items() if judge != RULES}
    lacking = [name for name in judged if name not in known]
    if not lacking or all(map(is_offline, recipes.values())):
        return ""
    judges = {judged[name] for name in lacking}
    (one, *more) = ("this panel" if judge.startswith(PANEL) else "this judge" for judge in judges)
    errs = "these judges err" if more else f"{one} errs"
    shown = enumerated(lacking)
    if len(lacking) > SHOWN:
        shown = f"{len(lacking)} of {len(judged)} protocols ({', '.join(lacking[:SHOWN])}, …)"
    by = "" if len(lacking) == len(judged) else f" by {shown}"
    return f"How often {errs}{by} is not known here: `deepassay calibrate` measures it."


def judges_told(contests: Sequence[Contest]) -> str:
    """Who judged, with the protocols of each where not all were judged by the same."""
    judges: dict[str, list[str]] = {}
    for each in contests:
        judges.setdefault(_judges(each.recipe), []).append(each.protocol)
    if len(judges) == 1:
        return next(iter(judges))
    return enumerated([f"{who} ({some([*dict.fromkeys(own)])})" for who, own in judges.items()])


def _size(contests: Sequence[Contest]) -> str:
    agents = {name for each in contests for name in (*_names(each), *each.silent)}
    tasks = max((row.tasks.expected for each in contests for row in each.contestants), default=0)
    on = f" on {several(tasks, 'task')}" if tasks else ""
    by = contests[0].protocol if len(contests) == 1 else several(len(contests), "protocol")
    return f"{several(len(agents), 'agent')}{on}, by {by}"


def _names(contest: Contest) -> list[str]:
    return [each.agent for each in contest.contestants]


def _judges(recipe: Signature) -> str:
    """`openai:m`, `a panel of openai:m and openai:n`."""
    found = [str(judge["model"]) for judge in recipe.identity.get("judges", [])]
    if is_offline(recipe):
        return "the offline baseline"
    if found == [UNKNOWN]:
        return "somebody whom the files do not name"
    if found in ([], ["none"]):
        return RULES
    names = [*map(judge_told, found)]
    return names[0] if len(names) == 1 else f"{PANEL} of {enumerated(names)}"


def _across(contests: Sequence[Contest]) -> Iterator[str]:
    """What several protocols say together."""
    scored = [each for each in contests if each.contestants]
    blind = [each.protocol for each in scored if not each.reads]
    if not scored:
        yield f"Nobody has a score{causes_told(contests)}, so nothing can be said of anybody."
        return
    leads = [lead for each in scored if (lead := lead_of(each))]
    agents = {each.agent for own in scored for each in own.contestants if not each.is_reference}
    if leads:
        yield from _leads_told(leads)
    elif len(agents) == 1:
        (agent,) = agents
        others = without_score(contests, agent)
        yield f"{agent} is the only agent{f' with a score: {others}' if others else f': {ALONE}'}."
    elif len(blind) < len(scored):
        yield from _unled([each for each in scored if each.reads])
    if blind:
        yield (f"{NO_READING.capitalize()} by {some(blind)}: there {BLIND}; a model as judge can.")


def _unled(contests: Sequence[Contest]) -> Iterator[str]:
    """Why there is no lead, where several agents have scores: too few for a rank, or of no task
    in common. contests: those that can be read.
    """
    thin = [each for each in contests if len(each.rivals) < 2]
    apart = [each.protocol for each in contests if each not in thin]
    if thin:
        by = f" by {some([each.protocol for each in thin])}" if apart else ""
        yield (
            f"Agents are not held against each other{by}: fewer than two have a score in "
            f"{RANKED_FROM:.0%} of the tasks, as a rank needs."
        )
    if apart:
        yield (
            f"Nobody is ahead of anybody by {some(apart)}: whoever has the highest mean has no "
            "scored task in common with an agent that it could be held against."
        )
    if any(map(_share_tasks, contests)):
        yield (
            "`deepassay compare RUN AGENT OTHER` holds two agents against each other over the "
            "tasks of both."
        )


def _share_tasks(contest: Contest) -> bool:
    """Whether two of its agents have a score for the same task."""
    of_each = [means_of_tasks(e.judged).keys() for e in contest.contestants if not e.is_reference]
    return sum(map(len, of_each)) > len({task for tasks in of_each for task in tasks})


def _leads_told(leads: Sequence[LeadingPair]) -> Iterator[str]:
    ahead = [lead for lead in leads if lead.gap.mean > TIE]
    unranked = [lead for lead in ahead if lead.first in lead.thin and lead.leader is None]
    firsts: dict[str, list[str]] = {}
    ranked = [lead for lead in leads if lead not in unranked]
    for lead in ranked:
        if lead.leader is not None:
            firsts.setdefault(lead.leader, []).append(lead.contest.protocol)
    most = sorted(firsts, key=lambda agent: -len(firsts[agent]))
    told = [f"{agent} is first by {some(firsts[agent])}" for agent in most[:NAMED]]
    if more := most[NAMED:]:
        told.append(f"{several(len(more), 'other agent')} by one protocol or more each")
    if level := [lead.contest.protocol for lead in ranked if lead.leader is None]:
        told.append(f"{'nobody' if told else 'Nobody'} is first alone by {some(level)}")
    first = [f"{'; '.join(told)}."] if told else []
    means = [*_otherwise_by_means(ranked), *_ahead_without_rank(unranked)]
    yield " ".join([*first, *means, *_ranks_lacking(leads)])
    sure = sorted((lead for lead in ahead if lead.is_sure), key=_clearness)
    unsure = sorted((lead for lead in ahead if not lead.is_sure), key=_clearness)
    if claims := [*map(_piece, sure), *(_others_behind(lead) for lead in unsure if lead.behind)]:
        more_sure = len(claims) - MOST
        pieces = [*claims[:MOST], *[f"{more_sure} more"] * (more_sure > 0)]
        yield f"More than chance explains, each protocol by itself: {'; '.join(pieces)}."
    if unsure:
        yield " ".join(_unsure(unsure, alone=not sure))


def _otherwise_by_means(leads: Sequence[LeadingPair]) -> Iterator[str]:
    """Where the mean over tasks, of which chance is told, says other than the score."""
    for lead in leads:
        one, other, gap = lead.first.agent, lead.next.agent, lead.gap.mean
        if lead.leader == (one if gap > TIE else None):
            continue
        if gap < -TIE:
            one, other = other, one
        how = "level with" if abs(gap) <= TIE else "ahead of"
        over = " over the tasks of both" * (lead.lacking > 0)
        yield f"By {lead.contest.protocol} the {MEAN} has {one} {how} {other}{over}."


def _ahead_without_rank(leads: Sequence[LeadingPair]) -> Iterator[str]:
    """Who is ahead over the tasks of both, but of too few to be first. leads: of such agents."""
    pairs: dict[tuple[str, str], list[str]] = {}
    for lead in leads:
        pairs.setdefault((lead.first.agent, lead.next.agent), []).append(lead.by)
    for (one, other), protocols in pairs.items():
        yield f"{one} is ahead of {other} over the tasks of both by {some(protocols)}."


def _ranks_lacking(leads: Sequence[LeadingPair]) -> Iterator[str]:
    """Whom a lead is of that has no rank, by which protocols, and why."""
    lacking: dict[str, list[str]] = {}
    for lead in leads:
        for each in lead.thin:
            lacking.setdefault(each.agent, []).append(lead.contest.protocol)
    for agent, protocols in lacking.items():
        few = f"fewer than {RANKED_FROM:.0%} of the tasks"
        yield f"{agent} has no rank by {some(protocols)}: it is scored in {few}."


def _others_behind(lead: LeadingPair) -> str:
    """`heron over owl and crow by fact`: whom the first is surely ahead of, unlike of the next."""
    return f"{lead.first.agent} over {some(lead.behind)} by {lead.by}"


def _unsure(leads: Sequence[LeadingPair], *, alone: bool) -> Iterator[str]:
    """What may be chance, and how many tasks would tell. alone: whether no lead is sure."""
    over = " over the next agent" if any(lead.behind for lead in leads) else ""
    if alone and len(leads) == 1:
        yield f"{f'The lead{over}' if over else 'It'} may be chance: {_piece(leads[0])}."
    elif alone:
        what = f"Each lead{over}" if over else "All of this"
        yield f"{what} may be chance. The clearest lead is {_piece(leads[0])}."
    else:
        yield f"The other {several(len(leads), 'lead')}{over} may be chance."
    if known := [(lead.enough, place) for place, lead in enumerate(leads) if lead.enough]:
        enough, place = min(known)
        nearest = leads[place]
        if enough <= MOST_TASKS:
            yield (
                f"About {enough:,} {units_of(nearest)} would show the one by "
                f"{nearest.contest.protocol}; there are {nearest.gap.units}."
            )
    if turning := [lead.contest.protocol for lead in leads if lead.lacking]:
        yield f"Unscored tasks could turn it round by {some(turning)}."


def _clearness(lead: LeadingPair) -> tuple[float, float, float]:
    alone = lead.gap.permutation.p if lead.gap.permutation else 1.0
    return 1.0 if lead.p is None else lead.p, alone, -abs(lead.gap.effect or 0.0)


def _piece(lead: LeadingPair) -> str:
    """`heron over magpie by fact, 0.1756 (95 % interval 0.0364 to 0.3149; p = 0.031)`."""
    gap, limits = lead.gap, lead.contest.limits
    ends = f"95 % interval {ends_of(gap.interval, limits)}" if gap.interval else ""
    p = f"p {p_told(lead.p)}{for_pairs(lead)}" if lead.p is not None else ""
    sure = "; ".join(filter(None, (ends, p)))
    told = f"{lead.first.agent} over {lead.next.agent} by {lead.by}"
    return f"{told}, {in_range(gap.mean, limits)}" + (f" ({sure})" if sure else "")
