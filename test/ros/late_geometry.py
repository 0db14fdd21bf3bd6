"""A node that reads the geometry of a robot's links when a file appears."""

import os
import sys
import time
from pathlib import Path

from generative_ik_ros.collision import model


def late(things, read=model.stored_bodies):
    while not Path(os.environ["LATE_GEOMETRY"]).exists():
        time.sleep(0.01)
    return read(things)


if __name__ == "__main__":
    model.stored_bodies = late
    from generative_ik_ros.ros.node import main

    sys.exit(main())
