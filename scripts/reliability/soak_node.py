"""A namespace in, a node as a process there, its memory and its end out."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

THE_NODE = ("-m", "generative_ik_ros.ros.node")


class NodeProcess:
    """A node as a process, its parameters from a file and its log in another.

    Args:
        namespace: Its namespace, with the leading slash.
        folder: For its files.
        program: What Python is told to run.
        **parameters: The node's parameters.
    """

    def __init__(
        self,
        namespace: str,
        folder: Path,
        program: Sequence[str] = THE_NODE,
        **parameters: object,
    ):
        """Start it."""
        self.namespace, self.log = namespace, folder / f"{namespace.strip('/')}.log"
        file = folder / f"{namespace.strip('/')}.yaml"
        file.write_text(json.dumps({"/**": {"ros__parameters": parameters}}), encoding="utf-8")
        self._command = [sys.executable, *program, "--ros-args"]
        self._command += ["-r", f"__ns:={namespace}", "--params-file", str(file)]
        self._process = self._start()

    def _start(self) -> subprocess.Popen[bytes]:
        with self.log.open("ab") as log:
            return subprocess.Popen(self._command, stdout=log, stderr=subprocess.STDOUT)

    @property
    def alive(self) -> bool:
        """Whether it runs."""
        return self._process.poll() is None

    def resident(self) -> float:
        """Return its resident memory [MiB]."""
        pages = int(Path(f"/proc/{self._process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 2**20

    def threads(self) -> int:
        """Return the number of its threads."""
        return len(os.listdir(f"/proc/{self._process.pid}/task"))

    def kill_and_restart(self) -> None:
        """End it without warning and start it anew."""
        self._process.kill()
        self._process.wait()
        self._process = self._start()

    def stop(self) -> int | None:
        """Ask it to end; return its exit code, None where it had to be killed."""
        if self.alive:
            self._process.send_signal(signal.SIGINT)
        try:
            return self._process.wait(10.0)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            return None

    def text(self) -> str:
        """Return what it has printed."""
        return self.log.read_text(errors="replace")
