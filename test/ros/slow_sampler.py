"""A sampler that takes its time to load, as a learned one does."""

import threading

from generative_ik_ros.samplers.uniform import Uniform


class Slow(Uniform):
    """Tells when its loading begins, and goes on when told to."""

    name = "slow"
    begun, go_on, built = threading.Event(), threading.Event(), []

    def __init__(self, chain, device="cpu"):
        super().__init__(chain, device)
        self.begun.set()
        assert self.go_on.wait(30.0)
        self.built.append(self)
