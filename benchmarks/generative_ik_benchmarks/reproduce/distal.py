"""Mechanisms and a teacher in, all experiments of the paper on distal teaching out.

T. von Oehsen, A. Fabisch, S. Kumar, F. Kirchner, Comparison of distal teacher learning with
numerical and analytical methods to solve inverse kinematics for rigid-body mechanisms, 2020. The
paper compares what learned, numerical and analytical solutions are good for; here our solver
stands beside them, and what it promises is counted on many more poses and paths.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from generative_ik_benchmarks.protocols.unreachable import UnreachableTable
from generative_ik_benchmarks.reproduce.distal_accuracy import (
    AccuracyRow,
    LimitRow,
    accuracy,
    joint_limits,
)
from generative_ik_benchmarks.reproduce.distal_lessons import (
    Lesson,
    Teach,
    sizes,
    with_far_poses,
    with_limits,
)
from generative_ik_benchmarks.reproduce.distal_mechanisms import Mechanism
from generative_ik_benchmarks.reproduce.distal_paths import (
    JOINT,
    SPACE,
    PathRow,
    consistency,
    followers,
    joint_paths,
    space_paths,
)
from generative_ik_benchmarks.reproduce.distal_run_time import TimeRow, run_times
from generative_ik_benchmarks.reproduce.distal_singular import Singularities, singularities
from generative_ik_benchmarks.reproduce.distal_unreachable import (
    FarRow,
    Rejections,
    closest_approach,
    far_away,
    rejections,
)
from generative_ik_ros.errors import UnknownNameError

EXPERIMENTS = {
    "a": "sample efficiency: table I, figure 2",
    "b": "joint limits: table II",
    "c": "singularities: table III",
    "d": "unreachable poses: table IV",
    "e": "consistency along paths: figure 3",
    "f": "run time: table V",
}

PATH_KINDS = {"joint": (JOINT, joint_paths), "space": (SPACE, space_paths)}
"""How tables name the paths of experiment e, and what makes them."""


@dataclass(frozen=True)
class Amounts:
    """How much is measured.

    Attributes:
        poses: Test poses of experiments a, b and d.
        set_poses: Poses of each test set of experiment c.
        unreachable: Poses that ours has to reject, of each mechanism.
        closest: Poses of each kind for the closest approach.
        paths: Paths of experiment e, of each kind and mechanism.
        path_kinds: Which kinds, some of `PATH_KINDS`.
        path_poses: Poses of each.
        timed: Poses of experiment f, of each test set.
    """

    poses: int = 5000
    set_poses: int = 500
    unreachable: int = 33_334
    closest: int = 50
    paths: int = 1000
    path_kinds: tuple[str, ...] = ("joint", "space")
    path_poses: int = 100
    timed: int = 320


QUICK = Amounts(
    poses=200, set_poses=40, unreachable=256, closest=2, paths=5, path_poses=60, timed=64
)


@dataclass
class DistalReport:
    """What was measured, as far as it was asked for.

    Attributes:
        accuracy: Table I and figure 2.
        limits: Table II.
        singular: Table III, by mechanism.
        far: Table IV.
        rejections: Answers to poses out of reach.
        closest: Closest approach to unreachable poses.
        paths: Jumps along paths.
        times: Table V.
    """

    accuracy: list[AccuracyRow] = field(default_factory=list)
    limits: list[LimitRow] = field(default_factory=list)
    singular: dict[str, Singularities] = field(default_factory=dict)
    far: list[FarRow] = field(default_factory=list)
    rejections: list[Rejections] = field(default_factory=list)
    closest: list[UnreachableTable] = field(default_factory=list)
    paths: list[PathRow] = field(default_factory=list)
    times: list[TimeRow] = field(default_factory=list)

    @property
    def false_results(self) -> int:
        """Solutions that ours claims and that are none."""
        return sum(row.false_successes for row in self.rejections) + sum(
            table.false_of_ours for table in self.closest
        )


def check_names(experiments: Sequence[str], path_kinds: Sequence[str] = ()) -> None:
    """Refuse names that are no experiments or no kinds of paths.

    Raises:
        UnknownNameError: One is not.
    """
    for names, what, known in (
        (experiments, "experiment", EXPERIMENTS),
        (path_kinds, "kind of paths", PATH_KINDS),
    ):
        for name in names:
            if name not in known:
                raise UnknownNameError(what, name, known)


def lessons_of(experiments: Sequence[str], mechanisms: Sequence[Mechanism]) -> list[Lesson]:
    """Return the lessons that experiments need, each once, in the order of the tables."""
    lessons = []
    for mechanism in mechanisms:
        if "a" in experiments:
            lessons += sizes(mechanism)
        if "b" in experiments:
            lessons += with_limits(mechanism)
        if "c" in experiments:
            lessons += sizes(mechanism)[1:]
        if "d" in experiments:
            lessons += with_far_poses(mechanism)
        if "e" in experiments or "f" in experiments:
            lessons += sizes(mechanism)[-1:]
    return list(dict.fromkeys(lessons))


def reproduce_distal(
    mechanisms: Sequence[Mechanism],
    experiments: Sequence[str],
    teach: Teach,
    amounts: Amounts,
    seed: int,
    say: Callable[[str], None] = lambda _: None,
) -> DistalReport:
    """Measure.

    Args:
        mechanisms: On which mechanisms.
        experiments: Which of `EXPERIMENTS`.
        teach: Returns nets.
        amounts: How much.
        seed: Of poses, paths and solvers.
        say: Called with what comes next.

    Raises:
        UnknownNameError: There is no such experiment.
        GenerativeIKError: A chain is refused.
    """
    check_names(experiments, amounts.path_kinds)
    report = DistalReport()
    for mechanism in mechanisms:
        for name in experiments:
            say(f"{mechanism.name}, {EXPERIMENTS[name]}")
            _STEPS[name](report, mechanism, teach, amounts, seed)
    return report


def _a(report: DistalReport, mechanism: Mechanism, teach: Teach, much: Amounts, seed: int) -> None:
    report.accuracy += accuracy(mechanism, teach, much.poses, seed)


def _b(report: DistalReport, mechanism: Mechanism, teach: Teach, much: Amounts, seed: int) -> None:
    report.limits += joint_limits(mechanism, teach, much.poses, seed)


def _c(report: DistalReport, mechanism: Mechanism, teach: Teach, much: Amounts, seed: int) -> None:
    report.singular[mechanism.name] = singularities(mechanism, teach, much.set_poses, seed)


def _d(report: DistalReport, mechanism: Mechanism, teach: Teach, much: Amounts, seed: int) -> None:
    report.far += far_away(mechanism, teach, much.poses, seed)
    report.rejections.append(rejections(mechanism, much.unreachable, much.timed, seed))
    report.closest.append(closest_approach(mechanism, much.closest, seed))


def _e(report: DistalReport, mechanism: Mechanism, teach: Teach, much: Amounts, seed: int) -> None:
    follow = followers(mechanism, teach, seed)
    for kind in much.path_kinds:
        name, make = PATH_KINDS[kind]
        paths = make(mechanism, much.paths, much.path_poses, seed)
        if paths:
            report.paths += consistency(mechanism, name, paths, follow)


def _f(report: DistalReport, mechanism: Mechanism, teach: Teach, much: Amounts, seed: int) -> None:
    report.times += run_times(mechanism, teach, much.timed, seed)


_STEPS = {"a": _a, "b": _b, "c": _c, "d": _d, "e": _e, "f": _f}
