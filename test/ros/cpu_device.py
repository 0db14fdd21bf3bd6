"""A node for which the CPU stands for CUDA, and which says what is refined there."""

import sys

from generative_ik_ros import pipeline
from generative_ik_ros.search.device import calls
from generative_ik_ros.search.device.engine import Device

refined = Device.refined


def told(device, poses, seeds, *words):
    print(f"refined: {len(poses)} targets", flush=True)
    return refined(device, poses, seeds, *words)


if __name__ == "__main__":
    Device.refined = told
    pipeline.check_device = str
    calls.cuda_library, calls._WHERE, calls._SIZES = lambda: True, "cpu", (8,)
    calls.DeviceCalls.least = {"one": 8.0, "many": 8.0, "near": 8.0}
    from generative_ik_ros.ros.node import main

    sys.exit(main())
