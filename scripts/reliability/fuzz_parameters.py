"""Fuzz target: parameter files."""

import tempfile
from pathlib import Path

import numpy as np
import rclpy
from fuzz_mutate import NASTY, mutated, pick
from rclpy.context import Context
from rclpy.signals import SignalHandlerOptions

from generative_ik_ros.errors import GenerativeIKError
from generative_ik_ros.robot.known import robot_urdf_path, robots_directory
from generative_ik_ros.ros.node import GenerativeIKNode

_TYPES = (
    "true", "1", "-1", "0", "1.5", ".nan", ".inf", "-.inf", "''", "text", "[1, 2]", "[a, b]", "[]",
    "{a: 1}", "~", "!!binary aGVsbG8=", "&a [*a]", "2**70", "9223372036854775808",
)  # fmt: skip


class Parameters:
    """Parameter files as read by `--params-file`."""

    def prepare(self) -> None:
        """Read the file to mutate."""
        self._folder = Path(tempfile.mkdtemp())
        shipped = (robots_directory().parent / "generative_ik.yaml").read_text(encoding="utf-8")
        bare = "\n".join(line for line in shipped.splitlines() if not line.strip().startswith("#"))
        self._keys = [line.split(":")[0].strip() for line in bare.splitlines() if ":" in line][2:]
        urdf = robot_urdf_path("planar_3r").read_text(encoding="utf-8").replace("'", '"')
        robot = "    robot_description: '" + " ".join(urdf.split()) + "'\n"
        self._corpus = [bare, bare + "\n" + robot, shipped]

    def case(self, rng: np.random.Generator) -> bytes:
        """Return a mutated file."""
        text = str(pick(rng, self._corpus))
        if rng.random() < 0.5:
            lines = text.splitlines()
            for _ in range(int(rng.integers(1, 4))):
                key, value = pick(rng, [*self._keys, "use_sim_time"]), pick(rng, _TYPES)
                found = [i for i, line in enumerate(lines) if line.strip().startswith(f"{key}:")]
                new = f"    {key}: {value}"
                if found:
                    lines[found[0]] = new
                else:
                    lines.append(new)
            return "\n".join(lines).encode()
        return mutated(rng, [text, *NASTY[-3:]] if rng.random() < 0.1 else [text]).encode(
            "utf-8", "replace"
        )

    def run(self, case: bytes, rng: np.random.Generator) -> str:
        """Start a node with the file, as its process does."""
        path = self._folder / "case.yaml"
        path.write_bytes(case)
        context = Context()
        try:
            rclpy.init(
                args=["--ros-args", "--params-file", str(path)],
                context=context,
                signal_handler_options=SignalHandlerOptions.NO,
            )
        except Exception:
            return "refused by ROS"
        try:
            node = GenerativeIKNode(context=context)
        except GenerativeIKError as error:
            return type(error).__name__
        except Exception as error:
            if type(error).__module__.startswith("rclpy"):
                return "refused by ROS"
            raise
        else:
            node.destroy_node()
            return "started"
        finally:
            rclpy.shutdown(context=context)
