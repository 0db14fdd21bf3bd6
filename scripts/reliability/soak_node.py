"""A node as a separate process, for the reliability scripts."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

THE_NODE = ("-m", "generative_ik_ros.ros.node")


def set_ros_environment() -> None:
    """Use a ROS domain of this process and its children, with discovery as on a robot.

    With LOCALHOST instead of SUBNET, rmw_fastrtps uses shared memory whatever a node asks for, and
    killed clients affect the others through it.
    """
    os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "SUBNET"
    # The ports of domains up to 101 are outside the ephemeral range.
    os.environ["ROS_DOMAIN_ID"] = str(1 + os.getpid() % 100)


class NodeProcess:
    """A node as a process, with its parameters and its log in files.

    Args:
        namespace: Namespace of the node, with the leading slash.
        folder: Folder for its files.
        program: Arguments with which Python runs the node; a path: an executable instead.
        name: Of the node; empty: its own.
        **parameters: The node's parameters.
    """

    def __init__(
        self,
        namespace: str,
        folder: Path,
        program: Sequence[str] | Path = THE_NODE,
        name: str = "",
        **parameters: object,
    ):
        self.namespace, self.log = namespace, folder / f"{namespace.strip('/')}.log"
        file = folder / f"{namespace.strip('/')}.yaml"
        file.write_text(json.dumps({"/**": {"ros__parameters": parameters}}), encoding="utf-8")
        start = [str(program)] if isinstance(program, Path) else [sys.executable, *program]
        self._command = [*start, "--ros-args"]
        self._command += ["-r", f"__ns:={namespace}", "--params-file", str(file)]
        self._command += ["-r", f"__node:={name}"] if name else []
        self._process = self._start()

    def _start(self) -> subprocess.Popen[bytes]:
        with self.log.open("ab") as log:
            return subprocess.Popen(self._command, stdout=log, stderr=subprocess.STDOUT)

    @property
    def alive(self) -> bool:
        """Whether the process is running."""
        return self._process.poll() is None

    def processor_time(self) -> float:
        """Return the time for which processors have worked for it [s]."""
        stat = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(stat[11]) + int(stat[12])) / os.sysconf("SC_CLK_TCK")

    def resident(self) -> float:
        """Return the resident memory [MiB]."""
        pages = int(Path(f"/proc/{self._process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 2**20

    def threads(self) -> int:
        """Return the number of threads."""
        return len(os.listdir(f"/proc/{self._process.pid}/task"))

    def kill_and_restart(self) -> None:
        """Kill the process and start it again."""
        self._process.kill()
        self._process.wait()
        self._process = self._start()

    def stop(self) -> int | None:
        """Interrupt the process and return its exit code; None if it had to be killed."""
        if self.alive:
            self._process.send_signal(signal.SIGINT)
        try:
            return self._process.wait(10.0)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            return None

    def text(self) -> str:
        """Return the log."""
        return self.log.read_text(errors="replace")
