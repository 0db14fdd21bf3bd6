"""The result of a solve: distinct, verified configurations for each target."""

import operator
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from enum import IntEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from generative_ik_ros.array_types import Bools, Floats, Ints
from generative_ik_ros.errors import InvalidArgumentError, shown


class SolveStatus(IntEnum):
    """How the search for one target ended.

    The values are those of the constants in GetIKSolutions.srv.
    """

    SOLVED = 1
    """As many distinct solutions as were asked for, or all that there are."""
    PARTIAL = 2
    """At least one solution, fewer than asked for, and there may be others: no more were found, or
    time was up."""
    NO_SOLUTION = 3
    """The search was exhausted without a solution: the pose is taken to be unreachable."""
    TIMED_OUT = 4
    """The deadline came before the first solution and before the search was exhausted."""
    APPROXIMATE = 5
    """No exact solution. The returned configurations meet the part of the pose that
    `IKSolver(prefer=)` names exactly, and the error of the other part is at a local minimum."""

    def __str__(self) -> str:
        return self.name

    def __format__(self, format_spec: str) -> str:
        # Python 3.11 and later would format it as a number.
        return format(self.name, format_spec)


class Timings(NamedTuple):
    """Where the time of one call went, each in [s], and how much work it was.

    Attributes:
        propose: In the sampler, unless the search makes the seeds itself.
        refine: Refining seeds, verifying them and removing duplicates.
        select: Choosing and ordering solutions.
        total: The whole call.
        rounds: Number of calls of the sampler.
        seeds: Seeds that were tried.
        null_space_steps: Seeds that were null-space steps from a known solution.
        exact: Seeds that converged to a solution, duplicates included.
        distinct: Distinct solutions kept, before the ones to return are chosen.
        iterations: Iterations over all seeds.
        on_device: Targets that a GPU answered; the CPU answered all others.
    """

    propose: float
    refine: float
    select: float
    total: float
    rounds: int
    seeds: int
    null_space_steps: int
    exact: int
    distinct: int
    iterations: int
    on_device: int = 0

    def plus(self, other: "Timings") -> "Timings":
        """Return the sums: those of two parts of a call."""
        return Timings(
            self.propose + other.propose,
            self.refine + other.refine,
            self.select + other.select,
            self.total + other.total,
            self.rounds + other.rounds,
            self.seeds + other.seeds,
            self.null_space_steps + other.null_space_steps,
            self.exact + other.exact,
            self.distinct + other.distinct,
            self.iterations + other.iterations,
            self.on_device + other.on_device,
        )


WHAT_TO_FREE = (
    "free an axis with region=TaskSpaceRegion.free_axis(...), or the orientation with "
    "region=TaskSpaceRegion.position_only() or orientation_tolerance=inf, or ask for the nearest "
    "orientation at the exact position with IKSolver(prefer='position') (docs/few-joints.md)"
)
"""What messages advise where an arm has too few joints; the shell and the node have their own."""


Unread = tuple[Callable[[Any, "IKSolutions", str], Any], Any]
"""Computes an attribute of a result by its name, and what it is given first."""
_NEW, _SET = object.__new__, object.__setattr__


def _none() -> None:
    """Return the default of an attribute that is computed later: the class has none of it."""


@dataclass(frozen=True, eq=False)
class IKSolutions:
    """Distinct joint configurations that reach each of B targets, best first.

    Attributes that few callers read are computed when they are first read. Copies and pickles
    have all of them.

    Attributes:
        joint_names: Names of the n joints, the order of the last axis of `positions`.
        positions: (B, N, n) joint positions [rad or m]; NaN beyond a target's `counts`.
        counts: (B,) number of solutions of each target, or of approximations if its status is
            APPROXIMATE; `reached` tells these apart.
        position_error: (B, N) distance of the tip from the target [m], NaN as above.
        orientation_error: (B, N) angle between tip and target [rad], NaN as above.
        status: How the search ended, for each target.
        complete: (B,) whether a closed form proves that these are all solutions, including full
            turns of joints where limits allow them; False without a closed form, or where
            `num_solutions` or the deadline cut off further ones.
        best_effort: (B, n) closest configuration found [rad or m]. For an unreachable pose it is
            searched for when it is first read. In the rare case that it reaches the pose after
            all, it becomes the target's solution, and `counts` and `status` change accordingly.
        best_effort_position_error: (B,) its distance from the target [m].
        best_effort_orientation_error: (B,) its angle from the target [rad].
        sampler: Name of the sampler that proposed the seeds.
        timings: Where the time went.
        clearance: (B, N) distance from the nearest obstacle or other link of the robot [m]: a
            lower bound by the spheres around the links, 0 where these cannot tell, or, if
            solutions are ordered by it, the distance between the shapes. NaN where there is no
            solution. None if collisions were not checked. It is measured when it is first read,
            unless solutions are ordered by it.
        blocked_by: For each target whose solutions all collide, the names of two things that
            collide in `best_effort`; None for others. None if collisions were not checked.
        target_of: (1, N) which pose of a goal set each solution reaches, -1 where there is no
            solution; None without a goal set.
        scores: (B, N) values that solutions are ordered by, greatest first (`order_by`), NaN where
            there is no solution; None without a score.
        held: Number of coordinates of the tips' poses that the targets constrain: six for each
            tip, fewer in a region or with an infinite tolerance; 0 where nothing depends on it.
        mobility: Number of joints of a tree that can be chosen independently, fewer than n if
            loops couple them; 0 for a chain, whose joints are all independent.
    """

    joint_names: tuple[str, ...]
    positions: Floats
    counts: Ints
    position_error: Floats
    orientation_error: Floats
    status: tuple[SolveStatus, ...]
    complete: Bools
    best_effort: Floats
    best_effort_position_error: Floats
    best_effort_orientation_error: Floats
    sampler: str
    timings: Timings
    clearance: Floats | None = field(default_factory=_none)
    blocked_by: tuple[tuple[str, str] | None, ...] | None = None
    target_of: Ints | None = None
    scores: Floats | None = None
    held: int = field(default_factory=int)
    mobility: int = field(default_factory=int)

    @classmethod
    def made(cls, values: dict[str, Any], unread: Unread) -> "IKSolutions":
        """Return a result that computes the attributes it was not given when they are first read.

        A constructor takes ten times as long, a tenth of a call for one solution.

        Args:
            values: Some of its attributes; the result takes the dictionary.
            unread: Computes the others.
        """
        found = _NEW(cls)
        values["_unread"] = unread
        _SET(found, "__dict__", values)
        return found

    if not TYPE_CHECKING:  # for which it would have attributes of any name

        def __getattr__(self, name: str) -> Any:  # noqa: ANN401
            """Compute an attribute that is not there yet."""
            unread = self.__dict__.get("_unread")
            if unread is None or name not in _KNOWN:
                raise AttributeError(f"IKSolutions has no attribute '{name}'")
            compute, given = unread
            value = self.__dict__[name] = compute(given, self, name)
            return value

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies and pickles have all attributes, and know nothing of how they came about."""
        self.best_effort  # noqa: B018 (what it finds counts)
        return IKSolutions, tuple([getattr(self, name) for name in _NAMES])

    @property
    def reached(self) -> Bools:
        """(B,) whether each target has exact solutions, rather than approximations or none."""
        near = [one == SolveStatus.APPROXIMATE for one in self.status]
        return (self.counts > 0) & ~np.array(near, np.bool_)

    def best_effort_message(self, target: int = 0) -> str:
        """Say why a target has no solution; "" if it has one.

        Raises:
            InvalidArgumentError: There is no target of that number.
        """
        target = self._number(target)
        gap = self.best_effort_position_error[target], self.best_effort_orientation_error[target]
        if self.status[target] == SolveStatus.APPROXIMATE:
            return f"no exact solution; nearest: {errors_text(*gap)} away"
        if self.counts[target]:
            return ""
        if self.blocked_by is not None and (pair := self.blocked_by[target]) is not None:
            return f"reached in collision only: {pair[0]} with {pair[1]}"
        why = "time was up" if self.status[target] == SolveStatus.TIMED_OUT else "out of reach"
        return f"{why}; closest: {errors_text(*gap)} away{self.too_few_joints()}"

    def too_few_joints(self, what_to_free: str = WHAT_TO_FREE) -> str:
        """Return the end of a message if the arm has too few joints for most poses, else "".

        Args:
            what_to_free: What the message advises.
        """
        count = self.mobility or len(self.joint_names)
        if count >= self.held:
            return ""
        joints = "1 joint" if count == 1 else f"{count} joints"
        if count < len(self.joint_names):
            joints += " besides those that follow in loops"
        return f"; this arm has {joints}, so cannot reach most poses exactly: {what_to_free}"

    def of(self, target: int = 0) -> Floats:
        """Return the solutions of one target without the NaN padding, (counts[target], n).

        Raises:
            InvalidArgumentError: There is no target of that number.
        """
        target = self._number(target)
        rows, count = self.positions[target], self.counts[target]
        return rows if count == len(rows) else rows[:count]

    def branches(self, target: int = 0) -> Floats:
        """Return the solutions of one target that differ by more than full turns, (K, n).

        Of those that differ only by full turns, it is the first. A UR5e, whose joints have a range
        of two turns, reaches most poses in eight branches (elbow up or down, wrist flipped or
        not), each of them in 32 solutions.

        Raises:
            InvalidArgumentError: There is no target of that number.
        """
        target = self._number(target)
        numbers = self.branch_of[target, : self.counts[target]]
        return self.of(target)[np.unique(numbers, return_index=True)[1]]

    def _number(self, target: object) -> int:
        """Return the number of a target that there is; negative ones count from the end."""
        size = len(self.counts)
        try:
            number = operator.index(target)  # pyright: ignore[reportArgumentType]
            if -size <= number < size:
                return number
        except TypeError:
            pass
        raise InvalidArgumentError(
            f"target must be a whole number below {size}, that of targets, not {shown(target)}"
        )

    @cached_property
    def branch_of(self) -> Ints:
        """(B, N) number of each solution's branch, from 0 in their order, -1 without a solution.

        Solutions of one branch differ by full turns of joints only.
        """
        numbers = np.full(self.positions.shape[:2], -1)
        for t, count in enumerate(self.counts.tolist()):
            numbers[t, :count] = _branch_numbers(self.of(t))
        return numbers

    def __repr__(self) -> str:
        """Summarise the result in a few lines; the arrays are in the attributes."""
        targets = len(self.counts)
        closest = self.best_effort_message() if targets and not self.counts.any() else ""
        total = int(self.counts.sum())
        outcomes = Counter(map(str, self.status))
        ended = ", ".join(f"{outcomes[name]} {name}" for name in sorted(outcomes))
        lines = [
            f"IKSolutions: {total} for {targets} target{'s' * (targets != 1)} in "
            f"{1e3 * self.timings.total:.2f} ms ({ended if targets != 1 else self.status[0]})",
            f"  joints: {', '.join(self.joint_names)}",
        ]
        if total:
            first = int(np.argmax(self.counts > 0))
            best = np.array2string(
                self.positions[first, 0], precision=4, suppress_small=True, max_line_width=10_000
            )
            lines.append(f"  first: {best}")
            errors = errors_text(self.position_error, self.orientation_error)
            lines.append(f"  errors: at most {errors}")
        elif targets:
            lines.append(f"  first target: {closest}")
        return "\n".join(lines)


_NAMES = tuple(one.name for one in fields(IKSolutions))
_KNOWN = frozenset(_NAMES)


def _branch_numbers(positions: Floats, same: float = 1e-3) -> Ints:
    """Return the number of each configuration's branch (N,), see `IKSolutions.branch_of`.

    Solutions of a branch differ by no more than `same` [rad] besides turns: those that are outside
    the limits by little are put on them.
    """
    points = np.hstack([np.cos(positions), np.sin(positions)])
    # Points that are the same are beside one another along any line.
    line = np.cos(np.arange(points.shape[1]))
    order, first = np.argsort(points @ line), np.arange(len(points))
    for ahead in range(1, len(points)):
        one, other = order[:-ahead], order[ahead:]
        near = (points[other] - points[one]) @ line <= same * np.abs(line).sum()
        if not near.any():
            break
        near &= (np.abs(points[other] - points[one]) <= same).all(axis=1)
        one, other = one[near], other[near]
        np.minimum.at(first, np.maximum(one, other), np.minimum(one, other))
    return np.unique(first, return_inverse=True)[1]


def errors_text(position: ArrayLike, orientation: ArrayLike) -> str:
    """Write the largest position [m] and orientation [rad] errors, ignoring NaN."""
    return f"{np.nanmax(position):.2g} m, {np.nanmax(orientation):.2g} rad"
