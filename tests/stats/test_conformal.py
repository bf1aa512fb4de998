"""Sets of verdicts: by hand, and that no more is missed than is stated."""

import numpy as np
import pytest

from deepassay.stats.conformal import tasks_for, verdict_sets


def labels(chance, tasks, unlike=0.0):
    """Three kinds of verdicts: sure, doubtful, and one of which anything may be; ten a task."""
    task = np.repeat(np.arange(tasks), 10)
    kind = chance.choice(3, len(task), p=[0.6, 0.25, 0.15])
    right = np.array([0.98, 0.8, 0.5])[kind] - unlike * chance.random(tasks)[task]
    word = np.where(chance.random(len(task)) < right, kind % 2, 1 - kind % 2)
    return kind, word, task


@pytest.mark.parametrize("risk, tasks", [(0.1, 18), (0.05, 38), (0.5, 2)])
def test_how_many_tasks_it_takes(risk, tasks):
    assert tasks_for(risk) == tasks
    kind, word = np.zeros(tasks, dtype=int), np.zeros(tasks, dtype=int)
    enough = verdict_sets(kind, word, np.arange(tasks), (1, 2), risk, 0)
    assert enough.sets.tolist() == [[True, False]]
    few = verdict_sets(kind[2:], word[2:], np.arange(tasks - 2), (1, 2), risk, 0)
    assert few.sets.all()


def test_what_is_sure_has_one_word_and_what_is_not_has_both():
    kind, word, task = labels(np.random.default_rng(1), 200)
    found = verdict_sets(kind, word, task, (3, 2), 0.1, 0)
    assert found.sets[0].tolist() == [True, False]
    assert found.sets[2].all()
    assert found.missed <= 0.1
    strict = verdict_sets(kind, word, task, (3, 2), 0.02, 0)
    assert strict.sets.sum() > found.sets.sum()


def test_every_set_has_a_word_however_much_is_tolerated():
    kind, word, task = labels(np.random.default_rng(2), 60)
    found = verdict_sets(kind, word, task, (4, 2), 0.9, 0)
    assert found.sets[:3].any(axis=1).all()
    assert found.sets[3].all()  # of a kind without a label every word is as likely


@pytest.mark.parametrize("risk, unlike", [(0.05, 0.0), (0.1, 0.0), (0.1, 0.3)])
def test_no_more_is_missed_than_is_stated(risk, unlike):
    chance = np.random.default_rng(3)
    missed = []
    for seed in range(150):
        found = verdict_sets(*labels(chance, 40, unlike), (3, 2), risk, seed)
        kind, word, _ = labels(chance, 200, unlike)
        missed.append(float((~found.sets[kind, word]).mean()))
    error = np.std(missed) / len(missed) ** 0.5
    assert np.mean(missed) <= risk + 3 * error
