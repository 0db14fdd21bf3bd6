"""Which kind of seed a target gets next, and when its search is over.

Random restarts are drawn without regard to what was found, so the share of their solutions that
is new tells how much of the solution set is still unknown. Null-space steps start beside known
solutions: they fill continuous solution sets cheaply, but say nothing about other sets. Nothing
here depends on time, so a call takes the same course however fast the machine is.
"""

import math

from numba.extending import register_jitable

from generative_ik_ros.compiled.kernel import inlined
from generative_ik_ros.search.records import SeedKind

# ruff: noqa: ANN001, ANN202, ANN201  (types inside compiled code are numba's, not Python's)

GIVE_UP = 2048
"""Random restarts after which a target without a solution is taken to be unreachable."""
_FEWEST, _CLOSE = 60, 2e-3
"""Random restarts before which it is not, and closest error [rad] below which all are made."""
_PERSISTENCE = (7, 14.0, 512), (8, 14.0, 1024), (1_000_000, 64.0, GIVE_UP)
"""What `persistence_of` returns for chains of up to so many joints (docs/search.md)."""
ALL_OF_THEM = 0.0, GIVE_UP
"""The same where the closest error says nothing."""
IN_A_HURRY = 0.0, 6
"""The same where a closed form will tell; more are seldom needed for one solution."""
BEFORE_CROSSING = 0.0, 24
"""The same where seeds then cross the limits on their way (docs/search.md)."""
LEAST, MOST = 16, 1024
"""Bounds of the number of seeds in one batch."""
MANY, _EXTRA = 100, 4
"""Solutions of a redundant chain from which on a search does not depend on how many more are
wanted; and how many more are looked for where these are (`extra_solutions`)."""
SEEDS_PER_SOLUTION = 2.0
"""First guess of how many seeds it takes to find one more distinct solution of a redundant chain,
whose solution sets null-space steps then fill."""
_SAMPLE = 64
"""Solutions from which the share of new ones is estimated."""
_SATURATED = 0.02
"""When no larger share of them than this is new, there is nothing left to find."""
_TOWARDS_SEED = 24
"""Seeds of the refinement towards the seed state."""
FAR = 96
"""Random restarts to find the nearest solution where none is near the seed state."""
_UNDECIDED = 8
"""Solutions beyond twice as many as wanted that are found before undecided ones are decided."""
_DENSE = 2.0
"""Solutions found for each distinct one from which on there is one near every other."""
_SEEDS_OF_TRACES = 6
"""Seeds for each solution wanted after which curves are traced no further."""
_WORTHWHILE = 0.05
"""New solutions per null-space step below which no further round is begun."""


@inlined
def choose_seed(target, criteria, count, given, endless):
    """Return the SeedKind of the target's next seed and count it as begun.

    `given` seeds come from the sampler, those tried before included; an endless sequence goes on
    beyond them.
    """
    if target.towards_seed:
        if target.towards_seed_begun == _TOWARDS_SEED:
            return SeedKind.NONE_NEEDED
        target.towards_seed_begun += 1
        return SeedKind.TOWARDS_SEED_STATE
    if criteria.traced and target.queue_begin < target.queue_end:
        target.round_size += 1
        target.null_space_seeds += 1
        return SeedKind.NULL_SPACE
    if target.round_left > 0:
        target.round_left -= 1
        target.null_space_seeds += 1
        return SeedKind.NULL_SPACE
    at_hand = endless or target.restarts < given
    if (target.restarts_left <= 0 or not at_hand) and target.restarts > 0:
        pays = fills(target, criteria) and target.null_space_pays and count > 0
        due = 0 if criteria.traced else _due(target)
        if pays and due <= 0 and target.round_ended == target.round_size:
            goal = criteria.wanted if target.usable < criteria.wanted else criteria.num_solutions
            missing = _next(goal, target.usable) - target.usable
            thin = target.round_new < _WORTHWHILE * target.round_size
            target.round_size = MOST if thin else bounded(1.5 * missing + LEAST)
            target.round_left = target.round_size - 1
            target.round_ended = target.round_new = 0
            target.null_space_seeds += 1
            return SeedKind.NULL_SPACE
        target.restarts_left = next_batch(target.restarts_ended, target.restarts_converged)
        if pays:
            target.restarts_left = max(target.restarts_left, due)
    if not at_hand:
        return SeedKind.NONE_LEFT
    target.restarts += 1
    target.restarts_left -= 1
    return SeedKind.RESTART


@inlined
def fills(target, criteria):
    """Say whether rounds of null-space steps are begun as long as they pay."""
    return not (criteria.traced and target.usable >= criteria.wanted)


@inlined
def _due(target):
    """Return how many restarts are due for as many solutions as there are, if these are many."""
    if target.usable <= MANY + _EXTRA:
        return 0
    return min(int(SEEDS_PER_SOLUTION * target.usable), MOST) - target.restarts


@inlined
def _next(goal, usable):
    """Return how many solutions to look for next.

    Where many are wanted that depends on what there is, not on how many are wanted: a search for
    more then goes on from where one for fewer has ended, and never finds less.
    """
    if goal <= MANY + _EXTRA:
        return goal
    stage = MANY + _EXTRA
    while stage <= usable:
        stage *= 2
    return stage


@register_jitable(forceinline=True)
def next_batch(ended: int, converged: int) -> int:
    """Return how many restarts it takes to estimate the share of new solutions again."""
    return bounded(0.5 * _SAMPLE * max(ended, 1) / max(converged, 1))


@inlined
def count_seed(target, criteria, count, kind, converged, new):
    """Count a seed that has ended, and close the target when its search is over."""
    if kind == SeedKind.TOWARDS_SEED_STATE:
        target.towards_seed_ended += 1
        target.closed = target.towards_seed_ended == _TOWARDS_SEED
        return
    if kind == SeedKind.NULL_SPACE:
        target.round_ended += 1
        target.round_new += new
        target.null_space_converged += converged
        if target.round_ended == target.round_size:
            target.null_space_pays = target.round_new >= _WORTHWHILE * target.round_size
            # Where many are wanted, a round as long as they come must have found few.
            many = criteria.num_solutions > MANY + _EXTRA
            target.null_space_pays |= many and target.round_size < MOST
    else:
        target.restarts_ended += 1
        target.restarts_converged += converged
        target.sample += converged
        target.sample_new += new
        if target.sample >= _SAMPLE:
            target.saturated = target.sample_new <= _SATURATED * target.sample
            target.sample = target.sample_new = 0
        # A new solution may belong to a set in which no null-space step was taken.
        if new and criteria.redundant:
            target.null_space_pays = True
    # No round of steps is begun where curves are traced and there are enough, decided or not.
    filling = fills(target, criteria) and (
        target.null_space_pays or target.round_ended < target.round_size
    )
    exhausted = count > 0 and target.saturated and not filling
    hopeless = count == 0 and _is_hopeless(target, criteria)
    enough = has_enough(target, criteria.num_solutions) or (
        has_enough(target, criteria.wanted) and _is_full(target, criteria, count)
    )
    least = criteria.min_restarts
    if least > 0 and not target.near:
        least = max(least, FAR)
    if exhausted or hopeless or (enough and target.restarts_ended >= least):
        if target.usable > 0 and criteria.min_restarts > 0 and criteria.redundant:
            target.towards_seed = True
        else:
            target.closed = True


def persistence_of(num_joints: int) -> tuple[float, int]:
    """Return after how many restarts, times the closest error [rad], and after how many at most.

    A pose whose solutions take many restarts to find is one that others come close to: they end
    beside it at a joint limit, or at a singularity. So a search may end the sooner the further
    away everything has ended.
    """
    return next((error, count) for most, error, count in _PERSISTENCE if num_joints <= most)


@inlined
def _is_hopeless(target, criteria):
    """Say whether a target without a solution is out of reach, as far as restarts can tell."""
    ended = target.restarts_ended - criteria.min_restarts
    if criteria.most_restarts < _FEWEST:
        return ended >= criteria.most_restarts
    if ended < _FEWEST or criteria.persistence == 0.0:
        return target.restarts_ended >= GIVE_UP
    error = math.sqrt(target.closest_error)
    most = GIVE_UP if error < _CLOSE else criteria.most_restarts
    return ended * error >= criteria.persistence or ended >= most


@inlined
def _is_full(target, criteria, count):
    """Say whether all curves are traced, or else whether half of what was found was known."""
    if criteria.traced:
        over = target.traced_all and target.queue_begin == target.queue_end
        begun = target.restarts_ended + target.null_space_seeds
        return over or begun >= _SEEDS_OF_TRACES * criteria.wanted
    return _DENSE * count <= target.restarts_converged + target.null_space_converged


@register_jitable(forceinline=True)
def has_enough(target, wanted):
    """Say whether a target has as many solutions as wanted, or should have.

    To find a few more takes less time than to decide whether one that is close to an obstacle
    collides; only when most of what is found is undecided, that is all that is left.
    """
    return target["free"] >= wanted or target["usable"] >= 2 * wanted + _UNDECIDED


@register_jitable(forceinline=True)
def bounded(count: float) -> int:
    """Clip the size of a batch to its bounds."""
    return int(min(max(count, LEAST), MOST))
