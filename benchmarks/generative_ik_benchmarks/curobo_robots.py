"""cuRobo's robots: files in a folder, the frames that its benchmark places, published times."""

from dataclasses import dataclass
from pathlib import Path

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.sphere_oracle import kinematics
from generative_ik_benchmarks.tree_cases import Bounds, TreeCase

TABLE = "collision_table.yml"
HARDWARE = "RTX 6000 Ada"
_ROOT_AXES = ("X_PRISM", "Y_PRISM", "Z_PRISM", "X_ROT", "Y_ROT", "Z_ROT")
"""Kinds of the joints of a floating base, in the order of `Bounds`."""


@dataclass(frozen=True)
class CuroboRobot:
    """A robot of cuRobo's benchmark of inverse kinematics.

    Attributes:
        urdf: The file of its description.
        spheres: Its robot file, which has the spheres.
        plain: Published time of a batch of 100 poses [s], and share solved.
        free: Likewise free of collisions with a table.
    """

    urdf: str
    spheres: str
    plain: tuple[float, float]
    free: tuple[float, float]

    def is_in(self, folder: Path) -> bool:
        """Say whether a folder has its files."""
        return all((folder / name).is_file() for name in (self.urdf, self.spheres, TABLE))

    def chain_case(self, name: str, folder: Path) -> ChainCase:
        """Return it as a chain, from the base to the first frame."""
        content = kinematics(folder / self.spheres)
        return ChainCase(name, folder / self.urdf, content["base_link"], content["tool_frames"][0])

    def tree_case(self, name: str, folder: Path) -> TreeCase:
        """Return it as a tree."""
        content = kinematics(folder / self.spheres)
        bounds = root_bounds(content.get("extra_links") or {})
        base = "" if bounds else content["base_link"]
        tips = tuple(content["tool_frames"])
        return TreeCase(name, folder / self.urdf, base, tips, floating_base=bounds)


CUROBO_ROBOTS = {
    "franka": CuroboRobot("franka_panda.urdf", "franka.yml", (2.60e-3, 1.0), (2.73e-3, 1.0)),
    "dual_ur10e": CuroboRobot(
        "dual_ur10e.urdf", "dual_ur10e.yml", (6.06e-3, 1.0), (15.6e-3, 0.992)
    ),
    "unitree_g1": CuroboRobot(
        "g1_29dof_with_hand_rev_1_0.urdf", "unitree_g1.yml", (31.4e-3, 1.0), (527e-3, 0.984)
    ),
}
"""From its documentation (reference/benchmarks, June 2026), success within 5 mm and 0.05 rad."""


def root_bounds(extra_links: dict[str, dict]) -> Bounds | None:
    """Return the bounds of a floating base that a robot file adds as six joints; None if none."""
    by_kind = {
        link["joint_type"]: link["joint_limits"]
        for link in extra_links.values()
        if link["joint_type"] in _ROOT_AXES
    }
    if len(by_kind) < len(_ROOT_AXES):
        return None
    lower, upper = zip(*(map(float, by_kind[kind]) for kind in _ROOT_AXES), strict=True)
    return lower, upper
