"""The node as a process of its own: started, listened to and stopped as ros2 launch would."""

import itertools
import json
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

_numbers = itertools.count()


class NodeProcess:
    """A node in a namespace of its own, with parameters from a file."""

    def __init__(self, arguments=(), module="generative_ik_ros.ros.node", **parameters):
        self.namespace = f"/test{next(_numbers)}"
        with tempfile.NamedTemporaryFile("w", suffix=".yaml", delete=False) as file:
            json.dump({"/**": {"ros__parameters": parameters}}, file)
        command = [sys.executable, "-m", module, "--ros-args", "-r", f"__ns:={self.namespace}"]
        if parameters:
            command += ["--params-file", file.name]
        self._process = subprocess.Popen(
            [*command, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=Path(__file__).parent,
            text=True,
            errors="replace",
        )
        self._lines = []
        self._news = threading.Condition()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        for line in self._process.stdout:
            with self._news:
                self._lines.append(line)
                self._news.notify_all()

    def output(self, since=0):
        """Everything printed since a mark."""
        with self._news:
            return "".join(self._lines[since:])

    def mark(self):
        """A place in the output to look from."""
        with self._news:
            return len(self._lines)

    def wait_for(self, text, since=0, timeout=30.0):
        """Wait until a text has been printed."""
        with self._news:
            found = self._news.wait_for(
                lambda: text in "".join(self._lines[since:]) or not self._reader.is_alive(),
                timeout,
            )
            printed = "".join(self._lines[since:])
        assert found and text in printed, f"{text!r} not printed, but:\n{printed}"

    @property
    def pid(self):
        return self._process.pid

    @property
    def alive(self):
        return self._process.poll() is None

    @property
    def returncode(self):
        return self._process.returncode

    def signal(self, number):
        self._process.send_signal(number)

    def wait(self, timeout=30.0):
        """Wait for the end; the exit code and the seconds it took."""
        start = time.monotonic()
        try:
            self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            self._process.kill()
            raise
        self._reader.join()
        return self._process.returncode, time.monotonic() - start

    def stop(self):
        """Tell it to end; wait() tells how that went."""
        if self.alive:
            self.signal(signal.SIGINT)
