"""A sampler that is slow to load, like a learned one."""

import threading

from generative_ik_ros.samplers.uniform import Uniform


class Slow(Uniform):
    """Signals that it is loading, and waits for a signal to continue."""

    name = "slow"
    begun, go_on, built = threading.Event(), threading.Event(), []

    def __init__(self, chain, device="cpu"):
        super().__init__(chain, device)
        self.begun.set()
        assert self.go_on.wait(30.0)
        self.built.append(self)
