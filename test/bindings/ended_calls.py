"""An interpreter that ends while daemon threads are in native calls."""

import threading
import time

import numpy as np

from generative_ik_ros import CollisionModel, IKSolver, Scene, load_robot
from generative_ik_ros.robot.known import robot_urdf_path

THREADS, AFTER = 2, 0.3
"""Threads for each call, and when the interpreter ends [s]."""


def main() -> None:
    """Begin the calls, and leave them."""
    chain, urdf = load_robot("panda"), robot_urdf_path("panda")
    model = CollisionModel.from_urdf(urdf, srdf=urdf.with_suffix(".srdf"))
    free, plain = IKSolver(chain, collision=model), IKSolver(chain)
    scene = Scene(boxes={"shelf": ((0.05, 1.0, 0.4), (0.6, 0.0, 0.3))})
    rng = np.random.default_rng(0)
    poses = chain.forward(rng.uniform(chain.lower, chain.upper, (400, chain.num_joints)))
    calls = [
        lambda: plain.solve(poses[0], 1),
        lambda: plain.solve(poses, 100),
        lambda: free.solve(poses, 20, scene=scene),
    ]
    for call in calls:
        call()

    def go_on(k: int) -> None:
        while True:
            calls[k]()

    for k in THREADS * [*range(len(calls))]:
        threading.Thread(target=go_on, args=(k,), daemon=True).start()
    time.sleep(AFTER)
    print("over")


if __name__ == "__main__":
    main()
