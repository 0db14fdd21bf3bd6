"""Propose seeds with a sampler of your own."""

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros import IKSolver, load_robot, pose_matrix
from generative_ik_ros.samplers.base import Sampler, SeedRequest


class NearHome(Sampler):
    """Seeds scattered about a posture that the arm prefers."""

    name = "near_home"
    home = np.array([0.0, -0.8, 0.0, -2.4, 0.0, 1.6, 0.8])
    spread = 0.6

    def propose(self, request: SeedRequest) -> NDArray[np.float64]:
        """Return (T, K, n) seeds, inside the bounds, the same for every target.

        A sampler keeps no state: seed number `first + k` depends on its number and on the random
        seed only, so that two short requests give what one long one gives.
        """
        numbers = range(request.first, request.first + request.count)
        scattered = [
            np.random.default_rng((request.random_seed, number)).normal(size=self.home.size)
            for number in numbers
        ]
        seeds = self.home + self.spread * np.array(scattered).reshape(-1, self.home.size)
        seeds = np.clip(seeds, request.lower, request.upper)
        return np.broadcast_to(seeds, (len(request.targets), *seeds.shape))


chain = load_robot("panda")
target = pose_matrix([0.45, 0.1, 0.4], [1.0, 0.0, 0.0, 0.0])
for sampler in ("quasi_random", NearHome(chain)):
    found = IKSolver(chain, sampler).solve(target, num_solutions=20)
    distance = np.linalg.norm(found.of(0) - NearHome.home, axis=1)
    work = found.timings
    print(
        f"{found.sampler}: {found.counts[0]} solutions from {work.seeds} seeds, "
        f"median distance from home {np.median(distance):.1f} rad"
    )
