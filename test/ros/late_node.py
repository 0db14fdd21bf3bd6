"""A node whose samplers `late`, `later` and `latest` load when a file appears, as may geometry.

The folder of the samplers' files and the file for geometry are named by environment variables.
"""

import os
import sys
import time
from pathlib import Path

from generative_ik_ros.collision import model
from generative_ik_ros.samplers import registry
from generative_ik_ros.samplers.uniform import Uniform


def wait_for(*path):
    while not Path(*path).exists():
        time.sleep(0.01)


class Late(Uniform):
    name = "late"

    def __init__(self, chain, device="cpu"):
        super().__init__(chain, device)
        Path(os.environ["LATE_SAMPLER"], f"{self.name}_begun").touch()
        wait_for(os.environ["LATE_SAMPLER"], self.name)


class Later(Late):
    name = "later"


class Latest(Late):
    name = "latest"


def late_bodies(things, read=model.stored_bodies):
    wait_for(os.environ["LATE_GEOMETRY"])
    return read(things)


if __name__ == "__main__":
    for kind in (Late, Later, Latest):
        registry._SAMPLERS[kind.name] = f"late_node:{kind.__name__}"
    if "LATE_GEOMETRY" in os.environ:
        model.stored_bodies = late_bodies
    # Reads the names of the samplers when it is imported.
    from generative_ik_ros.ros.node import main

    sys.exit(main())
