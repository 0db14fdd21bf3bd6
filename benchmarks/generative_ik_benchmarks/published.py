"""What others published for a robot, to stand beside what is measured here.

Nothing here was measured by this package: machines, models of the robots and poses differ.
"""

import math
from dataclasses import dataclass

from generative_ik_benchmarks.figure import figure
from generative_ik_benchmarks.reproduce.ggik_published import TABLE_I


@dataclass(frozen=True)
class TableII:
    """A row of IKFlow's table II: a GPU, nets of up to 51 million parameters, days of training."""

    name: str = figure(
        "The chain as the paper means it; two rows of the table itself have one name."
    )
    mmd: float = figure("Squared discrepancy from rejection samples.")
    milliseconds: float = figure("Time of 100 samples [ms].")
    position_mm: float = figure("Mean distance [mm].")
    orientation_deg: float = figure("Mean angle [deg].")


TABLE_II = {
    ("atlas", 9): TableII("ATLAS, arm and waist", 0.0372, 4.79, 2.66, 0.61),
    ("atlas", 6): TableII("ATLAS, arm", 0.0046, 6.4, 1.19, 0.28),
    ("panda", 7): TableII("Panda", 0.0304, 6.64, 7.75, 2.82),
    ("robonaut2", 8): TableII("Robonaut 2, arm and waist", 0.0375, 6.44, 6.33, 1.24),
    ("robonaut2", 7): TableII("Robonaut 2, arm", 0.0325, 6.46, 1.92, 0.46),
    ("valkyrie", 10): TableII("Valkyrie, whole arm and waist", 0.0374, 8.57, 3.5, 0.74),
    ("valkyrie", 4): TableII("Valkyrie, lower arm", 3.25e-6, 4.87, 0.36, 0.15),
    ("valkyrie", 7): TableII("Valkyrie, whole arm", 0.0295, 6.47, 1.62, 0.37),
}
"""By file and number of joints: which model files its authors used is not known."""

FIGURE_4 = {"IKFlow, GPU": (4000, 20.0), "Newton-Raphson": (1000, 1000.0)}
"""What the paper's text says of figure 4 (ATLAS): samples, and their time [ms]."""


@dataclass(frozen=True)
class TracIKRow:
    """A row of TRAC-IK's own table (https://bitbucket.org/traclabs/trac_ik, v1.5.1).

    10,000 random reachable poses, 1e-5 on each axis, 5 ms, from mid limits, failures in the time.
    """

    name: str = figure("The row's name there.")
    kdl: float = figure("Solved by KDL [%].")
    kdl_restarts: float = figure("Solved by KDL with random restarts [%].")
    trac_ik: float = figure("Solved by TRAC-IK [%].")
    trac_ik_ms: float = figure("Mean time of TRAC-IK [ms].")


TRAC_IK = {
    ("panda", 7): TracIKRow("Panda", 62.02, 93.21, 99.88, 0.37),
    ("iiwa", 7): TracIKRow("iiwa14", 38.09, 95.15, 99.92, 0.28),
    ("kuka_iiwa", 7): TracIKRow("iiwa14", 38.09, 95.15, 99.92, 0.28),
    ("ur3", 6): TracIKRow("UR3", 17.11, 89.08, 98.60, 0.45),
    ("ur10", 6): TracIKRow("UR10", 14.90, 88.63, 99.33, 0.36),
    ("ur10_ros", 6): TracIKRow("UR10", 14.90, 88.63, 99.33, 0.36),
    ("ur5", 6): TracIKRow("UR5", 16.52, 88.58, 99.17, 0.37),
    ("lwa4d", 7): TracIKRow("LWA4D", 68.57, 97.26, 100.0, 0.23),
    ("kinova", 6): TracIKRow("Jaco2", 26.25, 97.85, 99.92, 0.35),
    ("baxter_arm", 7): TracIKRow("Baxter arm", 61.43, 90.78, 99.83, 0.37),
    ("pr2_arm", 7): TracIKRow("PR2 arm", 84.70, 88.82, 99.96, 0.31),
    ("fetch", 7): TracIKRow("Fetch", 93.28, 94.72, 99.98, 0.24),
    ("atlas", 6): TracIKRow("Atlas 2013", 75.54, 97.24, 99.99, 0.20),
    ("robonaut2", 7): TracIKRow("Robonaut2 arm", 86.89, 95.23, 99.85, 0.30),
    ("valkyrie", 7): TracIKRow("Valkyrie", 45.78, 92.34, 99.90, 0.37),
}
"""By robot and number of joints: rows that may be of the same chain."""


@dataclass(frozen=True)
class BatchTime:
    """Published time of a batch for the Franka arm on a GPU, one solution a pose.

    cuRobo v1 and PyRoki as reported in the PyRoki paper (C. M. Kim et al., PyRoki: a modular
    toolkit for robot kinematic optimization, 2025), cuRobo v2 as its authors report it (B.
    Sundaralingam et al., cuRoboV2, 2026). All stop at tolerances hundreds of times ours.
    """

    solver: str = figure("Its name.")
    hardware: str = figure("The GPU.")
    poses: int = figure("Poses in the batch.")
    milliseconds: float = figure("Time of the batch [ms].")
    solved: float = figure(
        "Share of the poses that were solved; NaN where not given.", default=math.nan
    )


BATCH_TIMES = {
    ("panda", 7): (
        BatchTime("cuRobo v1", "RTX 4090", 1, 4.48),
        BatchTime("PyRoki", "RTX 4090", 1, 3.27),
        BatchTime("cuRobo v2", "RTX 6000 Ada", 100, 2.60),
        BatchTime("cuRobo v1", "RTX 4090", 100, 6.31),
        BatchTime("PyRoki", "RTX 4090", 100, 4.59),
        BatchTime("cuRobo v1", "RTX 4090", 1000, 26.0),
        BatchTime("PyRoki", "RTX 4090", 1000, 14.2),
        BatchTime("cuRobo v1", "RTX 4090", 2000, 50.3, 0.9995),
        BatchTime("PyRoki", "RTX 4090", 2000, 29.8, 1.0),
    )
}
"""By robot and number of joints."""


@dataclass(frozen=True)
class LearnedRow:
    """Raw errors of a learned sampler, without refinement."""

    source: str = figure("Paper and table.")
    position_mm: float = figure("Mean distance [mm].")
    orientation_deg: float = figure("Mean angle [deg].")
    mmd: float | None = figure("Discrepancy from rejection samples; None where not given.")


_IN_GGIK = {
    ("panda", 7): "panda",
    ("iiwa", 7): "iiwa",
    ("kuka_iiwa", 7): "iiwa",
    ("lwa4d", 7): "lwa4d",
    ("lwa4p", 6): "lwa4p",
    ("ur10", 6): "ur10",
}
"""Rows of GGIK's table I by file and number of joints."""


def learned_rows(robot: str, dof: int) -> tuple[LearnedRow, ...]:
    """Return what learned samplers reached on a robot's chain, by their papers."""
    rows = []
    if (robot, dof) in TABLE_II:
        row = TABLE_II[robot, dof]
        source = "IKFlow, table II"
        rows.append(LearnedRow(source, row.position_mm, row.orientation_deg, row.mmd))
    if (robot, dof) in _IN_GGIK:
        row = TABLE_I[_IN_GGIK[robot, dof]]
        means = row.position_mm.mean, row.orientation_deg.mean
        rows.append(LearnedRow("GGIK T-RO, table I", *means, None))
    return tuple(rows)
