"""Chains in, which models GGIK's tables need that a package has no other use for out.

Tables I, V and CoRL's 4 compare models that were trained for nothing else. Who measures is given
what trains them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.reproduce.ggik_published import (
    NETWORKS,
    ONE_ROBOT,
    UNSEEN_ROBOTS,
)
from generative_ik_ros.learned.ggik.config import NETWORKS as LATENT_NETWORKS
from generative_ik_ros.learned.ggik.config import WALK
from generative_ik_ros.robot.chain import KinematicChain

_VARIED = 0.4
_ALIKE = ("iiwa", "lwa4d", "lwa4p")
"""Robots that CoRL's table 4 varies."""


@dataclass(frozen=True)
class Job:
    """A model to train.

    Attributes:
        name: Of its file.
        purpose: Which tables it is for.
        network: "walk", or the network of a model with latents.
        cases: Robots to train for, and to measure on.
        vary: Largest relative change of their lengths in training.
    """

    name: str
    purpose: str
    network: str
    cases: tuple[ChainCase, ...]
    vary: float = 0.0

    @property
    def chains(self) -> Mapping[str, KinematicChain]:
        """The robots' chains by name."""
        return {_name(case): case.chain for case in self.cases}


Trainer = Callable[[Job, Path], None]
"""Trains a job's model and writes it to a file."""


KINDS = ("only", "network", "varied")
"""What the names of jobs begin with."""


def jobs(cases: Sequence[ChainCase], kinds: Sequence[str] = KINDS) -> list[Job]:
    """Return what the tables need: a model a robot, one of each network, one for variations.

    Args:
        cases: The robots.
        kinds: Which of `KINDS`.
    """
    found = [Job(f"only-{_name(case)}", ONE_ROBOT, WALK, (case,)) for case in cases]
    for network in (WALK, *LATENT_NETWORKS):
        found.append(Job(f"network-{network}", NETWORKS, network, tuple(cases)))
    alike = tuple(case for case in cases if _name(case) in _ALIKE)
    if alike:
        found.append(Job("varied", UNSEEN_ROBOTS, WALK, alike, _VARIED))
    return [job for job in found if job.name.startswith(tuple(kinds))]


def _name(case: ChainCase) -> str:
    return case.label.partition(":")[0]
