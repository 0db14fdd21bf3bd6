"""Batches of free poses above a table with cuRobo's spheres, by cuRobo's own protocol.

100 poses of configurations that are free of collisions go to one call, the mean of five batches
counts. The geometry is the spheres of cuRobo's robot file. Truth is a check of these spheres in
numpy on pinocchio's kinematics.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from numpy.typing import NDArray

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.metrics.pose_error import pose_errors
from generative_ik_benchmarks.oracle import Oracle, require_oracle
from generative_ik_benchmarks.verification import Checker, Violations
from generative_ik_ros.collision.model import CollisionModel
from generative_ik_ros.collision.scene import Scene
from generative_ik_ros.pipeline import IKSolver
from generative_ik_ros.robot.chain import KinematicChain

POSES, BATCHES = 100, 5
URDF, SPHERES, TABLE = "franka_panda.urdf", "franka.yml", "collision_table.yml"


@dataclass(frozen=True)
class BatchFigures:
    """Batches of one kind.

    Attributes:
        solver: Whose, and on what if published.
        collisions: Whether solutions had to be free of collisions.
        solved: Share of the poses.
        mean: Mean time of a batch [s].
        best: Smallest time of one [s]; None where not known.
        position_p90: 90th percentile of the distance from the pose [m]; NaN where not known.
        orientation_p90: Likewise of the angle [rad].
        colliding: Returned configurations that collide; None where nothing was returned to us.
    """

    solver: str
    collisions: bool
    solved: float
    mean: float
    best: float | None
    position_p90: float
    orientation_p90: float
    colliding: int | None


_CUROBO = "published: cuRobo v2, RTX 6000 Ada"
PUBLISHED = (
    BatchFigures(_CUROBO, False, 1.0, 2.60e-3, None, float("nan"), float("nan"), None),
    BatchFigures(_CUROBO, True, 1.0, 2.73e-3, None, float("nan"), float("nan"), None),
)
"""From its documentation (reference/benchmarks, June 2026), success within 5 mm and 0.05 rad."""


class SphereOracle:
    """cuRobo's spheres and boxes, checked by numpy on pinocchio's kinematics.

    Args:
        urdf: The robot's description.
        robot: cuRobo's robot file.
        world: Its world file, of boxes that are not turned.
        joint_names: The joints, in the order of the configurations.
    """

    def __init__(self, urdf: str, robot: Path, world: Path, joint_names: Sequence[str]):
        """Read both files."""
        require_oracle()
        import pinocchio

        pin: Any = pinocchio
        self._pin = pin
        content = _kinematics(robot)
        spheres = content["collision_spheres"]
        links = [name for name in content["collision_link_names"] if name in spheres]
        self._model = pin.buildModelFromXML(urdf)
        self._data = self._model.createData()
        self._frames = [self._model.getFrameId(link) for link in links]
        self._q0 = pin.neutral(self._model)
        for name, value in content["lock_joints"].items():
            self._q0[self._place(name)] = value
        self._places = [self._place(name) for name in joint_names]
        rows = [(k, *one["center"], one["radius"]) for k, link in enumerate(links)
                for one in spheres[link]]  # fmt: skip
        table = np.array(rows)
        self._link, self._centres = table[:, 0].astype(int), table[:, 1:4]
        self._radii = table[:, 4] + content["collision_sphere_buffer"]
        buffers = np.array([content["self_collision_buffer"].get(link, 0.0) for link in links])
        self._reach = self._radii + buffers[self._link]
        ignored = content["self_collision_ignore"]
        checked = [
            [a != b and b not in ignored.get(a, ()) and a not in ignored.get(b, ()) for b in links]
            for a in links
        ]
        self._pairs = np.array(checked)[self._link][:, self._link]
        # The base stands: nothing can be done about what it touches.
        self._moves = self._link != links.index(content["base_link"])
        self._boxes = [
            (np.array(one["pose"][:3]), np.array(one["dims"]) / 2.0)
            for one in _yaml(world)["cuboid"].values()
        ]

    def _place(self, name: str) -> int:
        return self._model.joints[self._model.getJointId(name)].idx_q

    def collides(self, q: NDArray[np.float64]) -> bool:
        """Say whether a configuration (n,) collides."""
        values = self._q0.copy()
        values[self._places] = q
        self._pin.framesForwardKinematics(self._model, self._data, values)
        poses = np.array([self._data.oMf[k].homogeneous for k in self._frames])[self._link]
        centres = np.einsum("kij,kj->ki", poses[:, :3, :3], self._centres) + poses[:, :3, 3]
        gaps = np.linalg.norm(centres[:, None] - centres[None], axis=2)
        if (self._pairs & (gaps < self._reach[:, None] + self._reach[None])).any():
            return True
        for middle, half in self._boxes:
            beyond = np.maximum(np.abs(centres - middle) - half, 0.0)
            if (np.linalg.norm(beyond, axis=1) < self._radii)[self._moves].any():
                return True
        return False


def batch_figures(
    case: ChainCase, seed: int, on_share: Callable[[float], None]
) -> tuple[list[BatchFigures], Violations]:
    """Measure batches with and without collisions, in turns.

    Args:
        case: The chain, of a description in the folder of cuRobo's files.
        seed: Of the poses.
        on_share: Told what share is done.

    Returns:
        Figures, and everything untrue in our results.
    """
    folder, chain, forward = case.urdf_path.parent, case.chain, Oracle.of(case)
    content = _kinematics(folder / SPHERES)
    model = CollisionModel.from_urdf(
        case.urdf_path, spheres=folder / SPHERES, joint_positions=content["lock_joints"]
    )
    scene = Scene.from_yaml(folder / TABLE)
    oracle = SphereOracle(case.urdf, folder / SPHERES, folder / TABLE, chain.joint_names)
    free, plain = IKSolver(chain, collision=model), IKSolver(chain)
    calls = {
        False: lambda poses: plain.solve(poses, 1, random_seed=seed),
        True: lambda poses: free.solve(poses, 1, random_seed=seed, scene=scene),
    }
    rng, violations = np.random.default_rng(seed), Violations()
    seconds, errors = {False: [], True: []}, {False: [], True: []}
    solved, colliding = {False: 0, True: 0}, {False: 0, True: 0}
    checker = Checker(forward, chain, plain.position_tolerance, plain.orientation_tolerance)
    for batch in range(-1, BATCHES):  # the first warms up
        poses = forward.forward(_free_configurations(chain, oracle, rng))
        for collisions in (batch % 2 == 0, batch % 2 != 0):
            begin = time.perf_counter()
            found = calls[collisions](poses)
            spent = time.perf_counter() - begin
            if batch < 0:
                continue
            seconds[collisions].append(spent)
            errors[collisions].append(pose_errors(forward.forward, found.best_effort, poses))
            for k in range(POSES):
                wrong = checker.violations(poses[k], found.of(k))
                hits = sum(oracle.collides(q) for q in found.of(k))
                solved[collisions] += bool(len(found.of(k)) and not wrong.total)
                colliding[collisions] += hits
                violations += wrong + Violations(hits if collisions else 0)
        on_share((batch + 2) / (BATCHES + 1))
    figures = [
        BatchFigures(
            solver="ours",
            collisions=collisions,
            solved=solved[collisions] / (BATCHES * POSES),
            mean=float(np.mean(seconds[collisions])),
            best=min(seconds[collisions]),
            position_p90=float(np.percentile([one[0] for one in errors[collisions]], 90)),
            orientation_p90=float(np.percentile([one[1] for one in errors[collisions]], 90)),
            colliding=colliding[collisions],
        )
        for collisions in (False, True)
    ]
    return figures, violations


def _free_configurations(
    chain: KinematicChain, oracle: SphereOracle, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Return configurations (POSES, n), uniform among those that are free."""
    found = []
    while len(found) < POSES:
        q = rng.uniform(chain.lower, chain.upper)
        if not oracle.collides(q):
            found.append(q)
    return np.array(found)


def _kinematics(robot: Path) -> dict[str, Any]:
    return _yaml(robot)["robot_cfg"]["kinematics"]


def _yaml(path: Path) -> Any:  # noqa: ANN401 (whatever it holds)
    return yaml.load(path.read_text(), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
