"""Reader of MotionBenchMaker's problems: MoveIt scenes and goals that are free of collisions.

MotionBenchMaker (C. Chamzas et al., RA-L 2022). A robot is a folder with NAME.urdf, NAME.srdf, its
meshes, and problems.tar.bz2: pairs of sceneNNNN.yaml, a MoveIt planning scene, and
requestNNNN.yaml, a request with start and goal joint positions, in a folder for each scenario.
"""

import tarfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from generative_ik_benchmarks.collision_oracle import Solid
from generative_ik_benchmarks.robots import read_yaml
from generative_ik_ros.array_types import Floats

ARCHIVE = "problems.tar.bz2"


@dataclass(frozen=True)
class MotionProblem:
    """One problem.

    Attributes:
        scenario: The kind of scene.
        scene: The file of the planning scene.
        goal: Joint positions at the goal, by name [rad or m].
        start: Those of all joints at the start.
    """

    scenario: str
    scene: Path
    goal: dict[str, float]
    start: dict[str, float]

    def standing(self, joint_names: Sequence[str]) -> dict[str, float]:
        """Return the positions at the start of all joints but some."""
        return {name: x for name, x in self.start.items() if name not in joint_names}

    def known(self, joint_names: Sequence[str]) -> Floats:
        """Return the positions (n,) of some joints at the goal."""
        return np.array([self.goal[name] for name in joint_names])

    @property
    def obstacles(self) -> list[Solid]:
        """What the scene's file describes, read without the package."""
        world = read_yaml(self.scene)["world"]
        solids = []
        for item in world["collision_objects"]:
            base = _pose(item["pose"]) if "pose" in item else np.eye(4)
            pairs = zip(item["primitives"], item["primitive_poses"], strict=True)
            for k, (primitive, pose) in enumerate(pairs):
                size = tuple(map(float, primitive["dimensions"]))
                kind = primitive["type"]
                if kind == "cylinder":  # MoveIt: height, radius
                    size = size[::-1]
                solids.append(Solid(f"{item['id']}/{k}", kind, size, base @ _pose(pose)))
        return solids


def read_problems(folder: Path, into: Path, limit: int | None = None) -> Iterator[MotionProblem]:
    """Yield the problems in a robot's folder, all or some of each scenario.

    The archive's files go into another folder.
    """
    with tarfile.open(folder / ARCHIVE) as archive:
        archive.extractall(into, filter="data")
    for scenario in sorted(path for path in (into / "problems").iterdir() if path.is_dir()):
        for request in sorted(scenario.glob("request*.yaml"))[:limit]:
            content = read_yaml(request)
            state = content["start_state"]["joint_state"]
            goal = content["goal_constraints"][0]["joint_constraints"]
            yield MotionProblem(
                scenario.name,
                request.with_name(request.name.replace("request", "scene")),
                {one["joint_name"]: float(one["position"]) for one in goal},
                dict(zip(state["name"], map(float, state["position"]), strict=True)),
            )


def _pose(entry: Mapping[str, Any]) -> Floats:
    pose = np.eye(4)
    pose[:3, :3] = Rotation.from_quat(entry["orientation"]).as_matrix()
    pose[:3, 3] = entry["position"]
    return pose
