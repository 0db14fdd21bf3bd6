"""Chains and sizes come in, the sweeps of the scale protocol go out, and what each measured."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.on_cores import on_cores
from generative_ik_benchmarks.protocols.scale import (
    AXES,
    CORES,
    JOINTS,
    SOLUTIONS,
    TARGETS,
    ScaleTable,
    scale_table,
)
from generative_ik_benchmarks.synthetic_chains import synthetic_case
from generative_ik_ros.errors import UnknownNameError
from generative_ik_ros.parallel import usable_cores

_ONE, _MANY = (100, 1), (10, 100)
"""Poses and solutions of each by which chains of different joints are compared."""
_ON_CORES = (1000, 1)
"""The same by which numbers of cores are."""


@dataclass(frozen=True)
class Sizes:
    """How far each axis goes.

    Attributes:
        joints: Of made arms.
        solutions: Of one pose.
        targets: Of one call.
        cores: Of the process.
        on_cores: Poses of a call, and solutions of each, where the cores grow.
    """

    joints: tuple[int, ...]
    solutions: tuple[int, ...]
    targets: tuple[int, ...]
    cores: tuple[int, ...]
    on_cores: tuple[int, int]

    @classmethod
    def of(
        cls,
        quick: bool,
        joints: Sequence[int] | None,
        solutions: Sequence[int] | None,
        targets: Sequence[int] | None,
    ) -> "Sizes":
        """Return the sizes that were asked for, else those of a first look or of a table."""
        here, cores = usable_cores(), {1}
        while max(cores) < here:
            cores.add(min(2 * max(cores), here))
        return cls(
            joints=tuple(sorted(set(joints or ((6, 7) if quick else range(4, 16))))),
            solutions=tuple(sorted(set(solutions or _tens(2 if quick else 6)))),
            targets=tuple(sorted(set(targets or _tens(2 if quick else 5)))),
            cores=tuple(sorted(cores)),
            on_cores=(20, 1) if quick else _ON_CORES,
        )


@dataclass(frozen=True)
class Sweep:
    """One curve: points along an axis.

    Attributes:
        axis: What grows.
        label: On what.
        points: Chain, poses, solutions of each, and cores; the last is None for all at hand.
    """

    axis: str
    label: str
    points: tuple[tuple[ChainCase, int, int, int | None], ...]


def check_axes(names: Sequence[str]) -> tuple[str, ...]:
    """Return the axes of some names, all of them for none.

    Raises:
        UnknownNameError: There is no such axis.
    """
    for name in names:
        if name not in AXES:
            raise UnknownNameError("axis", name, AXES)
    return tuple(axis for axis in AXES if not names or axis in names)


def sweeps(cases: Sequence[ChainCase], axes: Sequence[str], sizes: Sizes) -> Iterator[Sweep]:
    """Yield the curves of some axes.

    Args:
        cases: Chains, each of which gets curves of its own; for the joints they are points.
        axes: Of `AXES`.
        sizes: How far to go.
    """
    if JOINTS in axes:
        for shape, words, (targets, wanted) in (
            ("spatial", "one solution", _ONE),
            ("spatial", f"{_MANY[1]} solutions", _MANY),
            ("planar", "one solution", _ONE),
        ):
            made = tuple((synthetic_case(shape, n), targets, wanted, None) for n in sizes.joints)
            yield Sweep(JOINTS, f"{shape} arms, {words}", made)
        robots = sorted(cases, key=lambda case: case.chain.num_joints)
        yield Sweep(JOINTS, "robots, one solution", tuple((c, *_ONE, None) for c in robots))
    for case in cases:
        if SOLUTIONS in axes:
            yield Sweep(SOLUTIONS, case.label, tuple((case, 1, n, None) for n in sizes.solutions))
        if TARGETS in axes:
            yield Sweep(TARGETS, case.label, tuple((case, n, 1, None) for n in sizes.targets))
        if CORES in axes:
            points = tuple((case, *sizes.on_cores, n) for n in sizes.cores)
            yield Sweep(CORES, case.label, points)


def run_sweep(
    sweep: Sweep, rounds: int, sampler: str, seed: int, on_point: Callable[[], None]
) -> ScaleTable:
    """Measure a curve, points on fewer cores in processes of their own.

    Args:
        sweep: The curve.
        rounds: Calls a point; large ones get fewer.
        sampler: What proposes the seeds.
        seed: Of poses and solver.
        on_point: Called after each point.
    """
    here, measured = usable_cores(), []
    for case, targets, wanted, cores in sweep.points:
        words = {"rounds": rounds, "sampler": sampler, "seed": seed, "cores": cores or here}
        call = (sweep.axis, sweep.label, [(case, targets, wanted)])
        if cores is None:
            part = scale_table(*call, **words)
        else:
            part = on_cores(cores, scale_table, *call, **words)
        measured += part.points
        on_point()
    return ScaleTable(sweep.axis, sweep.label, tuple(measured))


def _tens(count: int) -> tuple[int, ...]:
    return tuple(10**k for k in range(count))
