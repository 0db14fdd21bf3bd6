"""Learn how a humanoid moves from a recording, and have its natural solutions come first."""

import time
from pathlib import Path

import numpy as np

from generative_ik_ros import IKSolver, KinematicTree, TaskSpaceRegion
from generative_ik_ros.samplers.demonstrations import Demonstrations

TIPS = ("head", "left_hand", "right_hand", "left_foot", "right_foot")
room = [-1.0, -1.0, 0.0, -0.5, -0.5, -0.5], [1.0, 1.0, 2.0, 0.5, 0.5, 0.5]
urdf = Path(__file__).parent / "small_humanoid.urdf"
tree = KinematicTree.from_urdf(urdf, tip_links=TIPS, floating_base=room)


def recorded(times: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A stand-in for a recording of one's own: it reaches about and crouches, with a tremor."""
    q = dict(zip(tree.names, np.zeros((tree.num_joints, len(times))), strict=True))
    crouch, turn = 0.5 - 0.5 * np.cos(0.7 * times), np.sin(1.1 * times)
    q["waist_yaw"], q["waist_pitch"], q["world_z"] = 0.5 * turn, 0.5 * crouch, 0.5 - 0.1 * crouch
    q["neck_yaw"], q["neck_pitch"] = 0.4 * turn, 0.3 * crouch  # it looks where it reaches
    for side, sign in (("left", 1.0), ("right", -1.0)):
        reach = np.clip(0.5 + 0.5 * np.sin(0.9 * times) + 0.4 * sign * turn, 0.0, 1.0)
        q[f"{side}_shoulder_pitch"] = -0.2 - 1.3 * reach
        q[f"{side}_shoulder_roll"] = sign * (0.15 + 0.5 * crouch)  # elbows out when it crouches
        q[f"{side}_shoulder_yaw"] = -0.6 * sign * reach
        q[f"{side}_elbow"] = -1.4 + 0.9 * reach
        q[f"{side}_hip_roll"] = sign * 0.2 * crouch
        q[f"{side}_hip_pitch"], q[f"{side}_knee"] = -0.7 * crouch, 1.3 * crouch
        q[f"{side}_ankle_pitch"], q[f"{side}_ankle_roll"] = -0.6 * crouch, -sign * 0.2 * crouch
    trembling = np.stack([*q.values()], axis=1) + rng.normal(0.0, 0.02, (len(times), len(q)))
    return np.clip(trembling, tree.lower, tree.upper)


rng = np.random.default_rng(0)
learned, later = (
    recorded(np.arange(0.0, 100.0, 0.1), rng),
    recorded(rng.uniform(2e3, 3e3, 100), rng),
)
begin = time.perf_counter()
prior = Demonstrations(tree, learned)
print(f"learned from {len(learned)} configurations in {time.perf_counter() - begin:.1f} s")

# Only where hands and head are matters, and where and how the feet stand.
region = [TaskSpaceRegion.position_only()] * 3 + [TaskSpaceRegion.exact()] * 2
targets, middle = tree.forward(later), learned.mean(axis=0)
ways = {
    "diverse": (IKSolver(tree), {}),
    "nearest to the middle": (IKSolver(tree), {"seed_state": middle}),
    "likelihood": (IKSolver(tree, prior), {"order_by": "likelihood"}),
    "likelihood, optimized": (IKSolver(tree, prior), {"order_by": "likelihood", "optimize": True}),
}
for name, (solver, options) in ways.items():
    first = solver.solve(targets, 10, region=region, **options).positions[:, 0]
    apart = np.abs(first - later)[:, 6:].max(axis=1)  # joints, without the base
    print(f"{name}: {np.median(apart):.2f} rad from what it did, {(apart < 0.3).mean():.0%} near")
