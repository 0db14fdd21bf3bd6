"""The figures of GGIK's papers, as published.

O. Limoyo, F. Maric, M. Giamou, P. Alexson, I. Petrovic, J. Kelly: Generative graphical inverse
kinematics, IEEE Transactions on Robotics (T-RO), and One network, many robots, a workshop version
at CoRL 2022 (arXiv 2209.08812). A laptop's GPU, 256,000 to 4,096,000 problems; limits ignored.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import nan
from typing import NamedTuple


class Spread(NamedTuple):
    """An error over all problems.

    Attributes:
        mean: Mean of all samples.
        least: Least error of each problem, averaged.
        greatest: Greatest error of each problem, averaged.
        q1: Lower quartile of all samples.
        q3: Upper quartile of all samples.
    """

    mean: float
    least: float
    greatest: float
    q1: float
    q3: float


@dataclass(frozen=True)
class ErrorRow:
    """A row of raw errors; NaN where there is none.

    Attributes:
        name: Robot or network.
        position_mm: Distances [mm].
        orientation_deg: Angles [deg].
        success: Share of problems with a sample within 1 cm and 1 degree [%].
        mmd: Discrepancy from rejection samples (CoRL table 1 only).
        elbo: Lower bound on held-out problems (tables of networks only).
    """

    name: str
    position_mm: Spread
    orientation_deg: Spread
    success: float
    mmd: float
    elbo: float

    @classmethod
    def of(cls, name: str, values: Sequence[float]) -> "ErrorRow":
        """Return a row of ten numbers of errors, success, MMD and ELBO."""
        return cls(name, Spread(*values[:5]), Spread(*values[5:10]), *values[10:])


@dataclass(frozen=True)
class StartRow:
    """A row of T-RO table IV or CoRL table 2: local solvers from given starts.

    Attributes:
        name: Solver and starts.
        position_mm: Distances [mm].
        orientation_deg: Angles [deg].
        iterations: Mean and standard deviation; NaN where there is none.
        milliseconds: Mean and standard deviation of the time [ms].
        success: Share of problems [%].
    """

    name: str
    position_mm: Spread
    orientation_deg: Spread
    iterations: tuple[float, float]
    milliseconds: tuple[float, float]
    success: float


def _numbers(table: str) -> Iterator[tuple[str, list[float]]]:
    """Read a table of names, a bar, and numbers; a dash is NaN."""
    for line in table.strip().splitlines():
        name, _, values = line.partition("|")
        words = values.replace("|", " ").split()
        yield name.strip(), [nan if word == "-" else float(word) for word in words]


def _errors(table: str) -> tuple[ErrorRow, ...]:
    """Read rows of position, orientation, success, MMD and ELBO."""
    return tuple(ErrorRow.of(name, row) for name, row in _numbers(table))


ROBOTS = ("iiwa", "lwa4d", "lwa4p", "panda", "ur10")
"""The papers' robots, by the package's names."""

ONE_ROBOT, MANY_ROBOTS, UNSEEN_ROBOTS, NETWORKS = "one", "many", "unseen", "networks"
"""What a model was trained for, or compared with: which tables it belongs to."""

_TABLE_I = _errors("""
iiwa  | 5.3 1.8  9.6 3.8 6.6 | 0.4 0.1 0.6 0.3 0.5 | 100.0 - -
lwa4d | 4.3 1.3  8.1 3.0 5.4 | 0.4 0.1 0.6 0.3 0.5 | 100.0 - -
lwa4p | 3.8 1.6  6.5 2.9 4.7 | 0.3 0.1 0.4 0.2 0.4 |  99.6 - -
panda | 5.8 1.6 11.1 4.0 7.4 | 0.4 0.1 0.7 0.3 0.5 | 100.0 - -
ur10  | 5.5 2.7  8.6 4.4 6.6 | 0.3 0.1 0.5 0.2 0.4 |  95.3 - -
""")
TABLE_I = {row.name: row for row in _TABLE_I}
"""T-RO table I, a model for each robot, by the package's names of the robots."""

TABLES: dict[str, dict[str, tuple[ErrorRow, ...]]] = {
    ONE_ROBOT: {
        "T-RO table I: a model a robot": _TABLE_I,
        "CoRL table 5: a model for the Panda": _errors("""
panda | 22.0 2.7 135.0 8.3 23.3 | 2.2 0.2 13.5 0.9 2.4 | 99.2 - -
"""),
    },
    MANY_ROBOTS: {
        "T-RO table II: one model for five robots": _errors("""
iiwa  |  5.3 1.7  9.7 3.8  6.6 | 0.4 0.1 0.6 0.3 0.5 | 100.0 - -
lwa4d |  4.7 1.4  9.1 3.2  5.9 | 0.4 0.1 0.6 0.3 0.5 | 100.0 - -
lwa4p |  5.7 2.2 10.2 4.1  7.1 | 0.4 0.1 0.7 0.3 0.6 |  99.5 - -
panda | 12.3 3.2 25.5 7.9 15.9 | 1.0 0.2 1.8 0.7 1.3 |  98.8 - -
ur10  |  9.2 4.2 14.7 7.3 11.1 | 0.5 0.2 0.9 0.4 0.7 |  93.5 - -
"""),
        "CoRL table 1: one model for five robots": _errors("""
iiwa  | 15.1 2.7 112.1  7.1 15.4 | 2.0 0.5 13.8 1.1 2.1 | 99.0 0.06 -
lwa4d | 13.9 2.3 101.1  6.5 14.6 | 2.3 0.7 11.6 1.4 2.5 | 99.0 0.06 -
lwa4p |  6.6 2.3  14.8  4.6  8.3 | 1.8 1.0  4.2 1.4 2.1 | 98.2 0.21 -
panda | 36.5 3.8 203.5 13.7 43.7 | 3.6 0.4 19.2 1.4 4.3 | 97.5 0.08 -
ur10  | 17.0 5.1  53.7  9.9 20.7 | 1.7 0.8  4.0 1.2 1.9 | 90.0 0.21 -
"""),
    },
    UNSEEN_ROBOTS: {
        "T-RO table III: trained on random arms": _errors("""
iiwa  | 39.7 11.4 75.5 27.8 50.4 | 2.5 0.5 4.6 1.7 3.3 | 44.0 - -
lwa4d | 35.7 10.2 68.3 25.0 45.5 | 2.3 0.5 4.3 1.6 3.1 | 53.1 - -
lwa4p | 22.5  7.3 40.4 16.3 28.2 | 1.5 0.4 2.6 1.0 1.9 | 80.0 - -
ur10  | 46.5 22.1 69.7 37.9 55.3 | 2.0 0.6 3.5 1.4 2.5 | 26.9 - -
"""),
        "CoRL table 4: trained on variations by 40 %": _errors("""
iiwa  |  27.3  7.2 124.5  15.4  29.8 |  2.5 0.5 11.7  1.4  2.8 | 77.2 - -
lwa4d | 134.7 69.9 275.0 106.9 151.2 | 18.1 7.7 42.6 13.1 21.2 |  1.8 - -
lwa4p | 101.4 70.4 140.5  87.0 114.3 | 16.8 4.6 40.6 10.8 21.1 |  3.8 - -
"""),
    },
    NETWORKS: {
        "T-RO table V: networks": _errors("""
egnn |   4.6  1.5   8.5   3.3   5.8 |  0.4 0.1  0.6  0.3  0.4 | 99.8 -  -0.05
mpnn | 143.2 62.9 273.7 113.1 169.1 | 17.7 5.3 13.6 21.6 34.1 | 13.1 -  -8.3
gat  |   -    -     -     -     -   |  -   -    -    -    -   |  0.0 - -12.41
gcn  |   -    -     -     -     -   |  -   -    -    -    -   |  0.0 - -12.42
sage |   -    -     -     -     -   |  -   -    -    -    -   |  0.0 - -10.5
"""),
        "CoRL table 3: networks": _errors("""
egnn | 18.4 5.1 85.8 10.9 22.5 | 1.7 0.5 1.0 2.0 10.1 | 96.3 - -3.8
"""),
    },
}
"""Rows by what the model was trained for. CoRL's table 3 repeats T-RO's rows of the others."""

STARTS = tuple(
    StartRow(
        name,
        Spread(*row[:5]),
        Spread(*row[5:10]),
        (row[10], row[11]),
        (row[12], row[13]),
        row[14],
    )
    for name, row in _numbers("""
GGIK alone (CoRL)         | 14.2 0.6  81.6  6.2 17.6 | 1.4 0 19.6 0.6 1.6 |   1.0   -     9.7   0.8 |  55.4
SQP, random starts        |  3.5 0.0 144.1  0.1  0.2 | 0.0 0  0.8 0.0 0.0 |  29.3  11.3 104.9  44.6 |  95.0
SQP, GGIK's starts        |  0.7 0.0   8.7  0.1  0.7 | 0.0 0  0.1 0.0 0.0 |  10.9   4.4  39.8  14.9 | 100.0
Riemannian, random starts | 30.5 0.0 173.2 21.1 38.1 | 1.8 0 11.5 1.0 2.0 | 182.7 142.1 287.0 251.5 |  80.7
Riemannian, GGIK's starts |  0.2 0.0   9.1  0.1  0.2 | 0.0 0  0.4 0.0 0.0 |  84.0 109.9 192.6 237.1 |  99.9
""")  # noqa: E501
)
"""T-RO table IV and CoRL table 2, over five robots; iterations, then milliseconds."""

FIGURE_8 = {10: 10.0, 1000: 80.0}
"""Samples and their time on a GPU, as the text says [ms]."""
