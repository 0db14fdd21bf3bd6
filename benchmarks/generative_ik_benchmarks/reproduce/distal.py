"""The experiments of the paper on distal teaching, with our solver beside the published rows.

T. von Oehsen, A. Fabisch, S. Kumar, F. Kirchner, Comparison of distal teacher learning with
numerical and analytical methods to solve inverse kinematics for rigid-body mechanisms, 2020. The
paper compares learned, numerical and analytical solutions; what our solver promises is also
counted on many more poses and paths.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from generative_ik_benchmarks.figure import figure
from generative_ik_benchmarks.options import RunOptions, folder_option, option, size
from generative_ik_benchmarks.protocols.unreachable import Options as ClosestOptions
from generative_ik_benchmarks.protocols.unreachable import UnreachableTable, measure
from generative_ik_benchmarks.reproduce.distal_accuracy import (
    AccuracyRow,
    Rejections,
    Singularities,
    joint_limits,
    rejections,
    sample_efficiency,
    singularities,
    unreachable,
)
from generative_ik_benchmarks.reproduce.distal_mechanisms import Mechanism, chosen_mechanisms
from generative_ik_benchmarks.reproduce.distal_paths import (
    PATH_KINDS,
    PathRow,
    consistency,
    followers,
)
from generative_ik_benchmarks.reproduce.distal_run_time import TimeRow, run_times
from generative_ik_benchmarks.reproduce.distal_training import (
    NetFolder,
    TrainingConfig,
    by_penalty,
    by_reachability,
    by_size,
)
from generative_ik_ros.errors import check_names

_TITLES = {
    "a": "sample efficiency: table I, figure 2",
    "b": "joint limits: table II",
    "c": "singularities: table III",
    "d": "unreachable poses: table IV",
    "e": "consistency along paths: figure 3",
    "f": "run time: table V",
}


@dataclass(frozen=True, kw_only=True)
class Options(RunOptions):
    """What can be set, and sizes that only `--quick` changes.

    Attributes:
        closest: Poses of each kind for the closest approach.
        path_poses: Poses of each path.
        timed: Poses of experiment f, of each test set.
        steps: Factor of the training steps beside `effort`.
    """

    experiments: tuple[str, ...] = option(
        (), "a, b, c, d, e or f, again for more.",
        flag="--experiment", check=partial(check_names, "experiment", choices=_TITLES),
    )  # fmt: skip
    mechanisms: tuple[str, ...] = option(
        (), "3-DoF, 6-DoF or 15-DoF, again for more.", flag="--mechanism", check=chosen_mechanisms
    )
    poses: int = option(5000, "Test poses of a, b and d.", quick=200, min=1)
    set_poses: int = option(500, "Poses of each test set of c.", quick=40, min=1)
    unreachable: int = option(33_334, "Poses to reject a mechanism.", quick=256, min=1)
    paths: int = option(1000, "Paths of each kind in e.", quick=5, min=1)
    path_kinds: tuple[str, ...] = option(
        tuple(PATH_KINDS), "Only joint (made by one) or space (drawn there) paths in e.",
        flag="--path-kind", check=partial(check_names, "kind of paths", choices=PATH_KINDS),
    )  # fmt: skip
    effort: float = option(1.0, "Factor of the training steps; --quick has 0.02 of it.", min=1e-3)
    nets: Path | None = folder_option("Where trained nets are kept; else the user's cache.")
    device: str = option("auto", "Where to train: auto, cpu or cuda.")
    plots: Path | None = folder_option("Draw figures 2 and 3 into this folder.")
    closest: int = size(50, 2)
    path_poses: int = size(100, 60)
    timed: int = size(320, 64)
    steps: float = size(1.0, 0.02)


@dataclass
class DistalReport:
    """What was measured, as far as it was asked for."""

    accuracy: list[AccuracyRow] = figure("Table I and figure 2.", default_factory=list)
    limits: list[AccuracyRow] = figure("Table II.", default_factory=list)
    singular: list[Singularities] = figure("Table III, by mechanism.", default_factory=list)
    far: list[AccuracyRow] = figure("Table IV.", default_factory=list)
    rejections: list[Rejections] = figure("Answers to poses out of reach.", default_factory=list)
    closest: list[UnreachableTable] = figure(
        "Closest approach to unreachable poses.", default_factory=list
    )
    paths: list[PathRow] = figure("Jumps along paths.", default_factory=list)
    times: list[TimeRow] = figure("Table V.", default_factory=list)

    @property
    def false_results(self) -> int:
        """Configurations that ours claims to be solutions and that are not."""
        return sum(row.false_successes for row in self.rejections) + sum(
            table.violations.total for table in self.closest
        )


@dataclass(frozen=True)
class _Experiment:
    """One experiment.

    Attributes:
        configs: The training configurations of a mechanism that it needs.
        measure: Measures a mechanism; returns lists of rows by the names of the report's fields.
    """

    configs: Callable[[Mechanism], Sequence[TrainingConfig]]
    measure: Callable[[Mechanism, NetFolder, Options], dict[str, list[Any]]]


def _unreachable(mechanism: Mechanism, nets: NetFolder, options: Options) -> dict[str, list[Any]]:
    seed = options.random_seed
    closest = ClosestOptions(poses=options.closest, random_seed=seed)
    return {
        "far": unreachable(mechanism, nets, options.poses, seed),
        "rejections": [rejections(mechanism, options.unreachable, options.timed, seed)],
        "closest": [measure(mechanism.case, closest, lambda: None)],
    }


def _paths(mechanism: Mechanism, nets: NetFolder, options: Options) -> dict[str, list[Any]]:
    follow = followers(mechanism, nets, options.random_seed)
    rows = []
    for kind in options.path_kinds:
        name, make = PATH_KINDS[kind]
        paths = make(mechanism, options.paths, options.path_poses, options.random_seed)
        if paths:
            rows += consistency(mechanism, name, paths, follow)
    return {"paths": rows}


_EXPERIMENTS = {
    "a": _Experiment(
        by_size,
        lambda mechanism, nets, options: {
            "accuracy": sample_efficiency(mechanism, nets, options.poses, options.random_seed)
        },
    ),
    "b": _Experiment(
        by_penalty,
        lambda mechanism, nets, options: {
            "limits": joint_limits(mechanism, nets, options.poses, options.random_seed)
        },
    ),
    "c": _Experiment(
        lambda mechanism: by_size(mechanism)[1:],
        lambda mechanism, nets, options: {
            "singular": [singularities(mechanism, nets, options.set_poses, options.random_seed)]
        },
    ),
    "d": _Experiment(by_reachability, _unreachable),
    "e": _Experiment(lambda mechanism: by_size(mechanism)[-1:], _paths),
    "f": _Experiment(
        lambda mechanism: by_size(mechanism)[-1:],
        lambda mechanism, nets, options: {
            "times": run_times(mechanism, nets, options.timed, options.random_seed)
        },
    ),
}


def training_configs(
    experiments: Sequence[str], mechanisms: Sequence[Mechanism]
) -> list[TrainingConfig]:
    """Return the training configurations of experiments, each once, in the order of the tables."""
    return list(
        dict.fromkeys(
            config
            for mechanism in mechanisms
            for name in experiments
            for config in _EXPERIMENTS[name].configs(mechanism)
        )
    )


def reproduce_distal(
    options: Options, nets: NetFolder, say: Callable[[str], None] = lambda _: None
) -> DistalReport:
    """Train the nets that are missing, then measure; say what comes next.

    Raises:
        GenerativeIKError: A chain is refused, or a net cannot be written.
    """
    mechanisms = chosen_mechanisms(options.mechanisms)
    experiments = sorted(set(options.experiments or _EXPERIMENTS))
    configs = training_configs(experiments, mechanisms)
    for number, config in enumerate(configs, 1):
        say(f"net {number} of {len(configs)}: {config.label}")
        nets.net(config)
    report = DistalReport()
    for mechanism in mechanisms:
        for name in experiments:
            say(f"{mechanism.name}, {_TITLES[name]}")
            for part, rows in _EXPERIMENTS[name].measure(mechanism, nets, options).items():
                getattr(report, part).extend(rows)
    return report
