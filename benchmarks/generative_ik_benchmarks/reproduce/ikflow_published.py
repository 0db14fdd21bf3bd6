"""What IKFlow's paper reports: table II, and what its text says of figure 4."""

from dataclasses import dataclass


@dataclass(frozen=True)
class TableII:
    """A row of IKFlow's table II: a GPU, nets of up to 51 million parameters, days of training.

    Attributes:
        name: The chain as the paper means it; two rows of the table itself have one name.
        mmd: Squared discrepancy from rejection samples.
        milliseconds: Time of 100 samples [ms].
        position_mm: Mean distance [mm].
        orientation_deg: Mean angle [deg].
    """

    name: str
    mmd: float
    milliseconds: float
    position_mm: float
    orientation_deg: float


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
