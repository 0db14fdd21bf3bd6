"""Long calls that Ctrl-C comes to, each in turn, in a process of its own.

Prints how long each took to raise KeyboardInterrupt [s], the best of some tries.
"""

import os
import signal
import threading
import time
from collections.abc import Callable

import numpy as np

from generative_ik_ros import CollisionModel, IKSolver, Scene, TaskSpaceRegion, load_robot
from generative_ik_ros.robot.known import robot_urdf_path

TRIES, AFTER, AGAIN_AFTER = 3, 0.1, 10.0
"""How often, and when the signal is sent, first and again [s]."""


def poses(solver: IKSolver, count: int) -> np.ndarray:
    """Return targets that random configurations reach."""
    n = solver.chain.num_joints
    return solver.chain.forward(np.random.default_rng(0).uniform(-2.0, 2.0, (count, n)))


def delay(call: Callable[[], object]) -> float:
    """Return how long a call goes on after Ctrl-C [s].

    An exception that is raised while an object is deleted is ignored by Python. Then, which is
    seldom, Ctrl-C comes once more, and the time is that since the first one.
    """
    sent, over = [], threading.Event()

    def interrupt() -> None:
        wait = AFTER
        while not over.wait(wait):
            sent.append(time.perf_counter())
            os.kill(os.getpid(), signal.SIGINT)
            wait = AGAIN_AFTER

    thread = threading.Thread(target=interrupt)
    thread.start()
    try:
        call()
    except KeyboardInterrupt:
        return time.perf_counter() - sent[0]
    finally:
        over.set()
        thread.join()
    raise AssertionError("the call was over before it was interrupted")


def again(call: Callable[[], object]) -> None:
    """Call until Ctrl-C comes: how long one takes depends on the machine."""
    while True:
        call()


def main() -> None:
    """Interrupt all calls."""
    ur10, chain = IKSolver(load_robot("ur10")), load_robot("panda")
    panda = IKSolver(chain).searching()
    dense = IKSolver(chain, distinct_distance=1e-4).searching()
    urdf = robot_urdf_path("panda")
    model = CollisionModel.from_urdf(urdf, srdf=urdf.with_suffix(".srdf"))
    free = IKSolver(chain, collision=model)
    scene = Scene(boxes={"shelf": ((0.05, 1.0, 0.4), (0.6, 0.0, 0.3))})
    many, some = poses(ur10, 400_000), poses(panda, 20_000)
    one = chain.forward((chain.lower + chain.upper) / 2.0)
    cone = TaskSpaceRegion.cone("z", 0.4)
    calls = {
        "a batch in closed form": lambda: again(lambda: ur10.solve(many, 8)),
        "a batch of searches": lambda: again(lambda: panda.solve(some, 100)),
        "a batch among obstacles": lambda: again(lambda: free.solve(some, 20, scene=scene)),
        "one search": lambda: dense.solve(one, 200_000),
        "one search of a region": lambda: dense.solve(one, 200_000, region=cone),
    }
    for name, call in calls.items():
        print(f"{name}: {min(delay(call) for _ in range(TRIES)):.3f}", flush=True)
        assert panda.solve(one, 5).counts[0] == free.solve(one, 5, scene=scene).counts[0] == 5


if __name__ == "__main__":
    main()
