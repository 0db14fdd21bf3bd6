"""How many seeds of which kind a target gets, and when its search is over.

Independent seeds, the scouts, are drawn without a look at what was found: the share of their
finds that is new tells how much of the solution set is still unseen. Walking seeds start beside
solutions found before and fill continuous solution sets cheaply, but tell nothing about others.
Nothing here looks at the time, so that the same call takes the same course on any machine.
"""

from numba import njit

from generative_ik_ros.search.state import (
    ALL_KNOWN,
    CLOSED,
    CONVERGED,
    DRAW,
    DRAW_DONE,
    DRAWING,
    DRAWN,
    NO_SEEDS,
    NOTHING,
    SAMPLED,
    SAMPLED_NEW,
    SCOUT,
    SCOUT_DONE,
    SCOUT_LEFT,
    TRIED,
    WALK,
    WALK_CONVERGED,
    WALK_DONE,
    WALK_LEFT,
    WALK_NEW,
    WALK_QUOTA,
    WALKED,
    WALKS,
)

# ruff: noqa: ANN001, ANN202, ANN201  (types inside compiled code are numba's, not Python's)

GIVE_UP = 2048
"""Seeds after which a target without a solution is taken to be unreachable."""
LEAST, MOST = 16, 1024
"""Bounds of the number of seeds in one batch."""
_SAMPLE = 64
"""Finds that it takes to judge what share of them is new."""
_ALL_KNOWN = 0.02
"""When no more than this share of independent finds is new, there is nothing left to find."""
_DRAWS = 24
"""Seeds between the nearest solution and the seed state."""
_POOR_WALK = 0.05
"""A walk that finds fewer new solutions a seed than this is not continued."""


@njit(forceinline=True)
def choose(counters, t, wish, count, given, endless):
    """Say what kind of seed a target gets next, or NO_SEEDS or NOTHING.

    Args:
        counters: (T, NUM_COUNTERS); changed.
        t: The target.
        wish: What is wanted.
        count: Solutions found.
        given: Number of independent seeds that are at hand, those tried before included.
        endless: Whether there are more where these came from.
    """
    if counters[t, DRAWING]:
        if counters[t, DRAWN] == _DRAWS:
            return NOTHING
        counters[t, DRAWN] += 1
        return DRAW
    if counters[t, WALK_LEFT] > 0:
        counters[t, WALK_LEFT] -= 1
        counters[t, WALKED] += 1
        return WALK
    at_hand = endless or counters[t, TRIED] < given
    if (counters[t, SCOUT_LEFT] <= 0 or not at_hand) and counters[t, TRIED] > 0:
        over = counters[t, WALK_DONE] == counters[t, WALK_QUOTA]
        if counters[t, WALKS] != 0 and count > 0 and over:
            counters[t, WALK_QUOTA] = bounded(1.5 * (wish.enough - count) + LEAST)
            counters[t, WALK_LEFT] = counters[t, WALK_QUOTA] - 1
            counters[t, WALK_DONE] = counters[t, WALK_NEW] = 0
            counters[t, WALKED] += 1
            return WALK
        counters[t, SCOUT_LEFT] = next_batch(counters, t)
    if not at_hand:
        return NO_SEEDS
    counters[t, TRIED] += 1
    counters[t, SCOUT_LEFT] -= 1
    return SCOUT


@njit(forceinline=True)
def next_batch(counters, t):
    """Say how many independent seeds target t takes to judge what is left to find."""
    return bounded(
        0.5 * _SAMPLE * max(counters[t, SCOUT_DONE], 1) / max(counters[t, CONVERGED], 1)
    )


@njit(forceinline=True)
def record(counters, t, wish, count, kind, done, new):
    """Take note of what became of a seed, and close the target when its search is over.

    Args:
        counters: (T, NUM_COUNTERS); changed.
        t: The target.
        wish: What is wanted.
        count: Solutions found.
        kind: SCOUT, WALK or DRAW.
        done: Whether the seed converged.
        new: Whether to a solution that was not known.
    """
    if kind == DRAW:
        counters[t, DRAW_DONE] += 1
        counters[t, CLOSED] = counters[t, DRAW_DONE] == _DRAWS
        return
    if kind == WALK:
        counters[t, WALK_DONE] += 1
        counters[t, WALK_NEW] += new
        counters[t, WALK_CONVERGED] += done
        if counters[t, WALK_DONE] == counters[t, WALK_QUOTA]:
            counters[t, WALKS] = counters[t, WALK_NEW] >= _POOR_WALK * counters[t, WALK_QUOTA]
    else:
        counters[t, SCOUT_DONE] += 1
        counters[t, CONVERGED] += done
        counters[t, SAMPLED] += done
        counters[t, SAMPLED_NEW] += new
        if counters[t, SAMPLED] >= _SAMPLE:
            counters[t, ALL_KNOWN] = counters[t, SAMPLED_NEW] <= _ALL_KNOWN * counters[t, SAMPLED]
            counters[t, SAMPLED] = counters[t, SAMPLED_NEW] = 0
        # Something unknown may be a set of its own that has not been walked along.
        if new and wish.spare:
            counters[t, WALKS] = 1
    walking = counters[t, WALKS] != 0 or counters[t, WALK_DONE] < counters[t, WALK_QUOTA]
    known = count > 0 and counters[t, ALL_KNOWN] != 0 and not walking
    hopeless = count == 0 and counters[t, SCOUT_DONE] >= GIVE_UP
    enough = count >= wish.enough and counters[t, SCOUT_DONE] >= wish.least
    if known or hopeless or enough:
        if count > 0 and wish.least > 0 and wish.spare:
            counters[t, DRAWING] = 1
        else:
            counters[t, CLOSED] = 1


@njit(forceinline=True)
def bounded(count):
    """Keep the size of a batch within reason."""
    return int(min(max(count, LEAST), MOST))
