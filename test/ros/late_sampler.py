"""A node with samplers that load when a file appears: `late`, `later` and `latest`."""

import os
import sys
import time
from pathlib import Path

from generative_ik_ros.samplers import registry
from generative_ik_ros.samplers.uniform import Uniform


class Late(Uniform):
    name = "late"

    def __init__(self, chain, device="cpu"):
        super().__init__(chain, device)
        while not Path(os.environ["LATE_SAMPLER"], self.name).exists():
            time.sleep(0.01)


class Later(Late):
    name = "later"


class Latest(Late):
    name = "latest"


if __name__ == "__main__":
    for kind in (Late, Later, Latest):
        registry._SAMPLERS[kind.name] = f"late_sampler:{kind.__name__}"
    # Reads the names of the samplers when it is imported.
    from generative_ik_ros.ros.node import main

    sys.exit(main())
