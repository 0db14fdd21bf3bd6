"""The node as a separate process, started and stopped as by ros2 launch."""

import functools
import itertools
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

_numbers = itertools.count()


@functools.cache
def choose_domain():
    """Choose a ROS domain for this process and its children, which no other test run is in.

    Returns what keeps it until the process ends.
    """
    os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
    for k in range(100):
        # The ports of domains up to 101 are outside the ephemeral range.
        domain = 1 + (os.getpid() + k) % 100
        lock = socket.socket(socket.AF_UNIX)
        try:
            # A name in the same network namespace as the ports, without a file.
            lock.bind(f"\0generative_ik_tests_in_domain_{domain}")
        except OSError:
            lock.close()
            continue
        os.environ["ROS_DOMAIN_ID"] = str(domain)
        return lock
    raise AssertionError("no ROS domain is free")


def health(*options):
    """Run the command that prints the health of nodes, and return what it did."""
    command = [sys.executable, "-m", "generative_ik_ros.ros.health", *options]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


class NodeProcess:
    """A node in its own namespace, with parameters from a file that `wait` removes."""

    def __init__(
        self, arguments=(), module="generative_ik_ros.ros.node", executable=None, **parameters
    ):
        self.namespace, self.executable = f"/test{next(_numbers)}", executable
        self._folder = tempfile.TemporaryDirectory(prefix="generative_ik_node_")
        command = [executable] if executable else [sys.executable, "-m", module]
        command += ["--ros-args", "-r", f"__ns:={self.namespace}"]
        if parameters:
            file = Path(self._folder.name, "parameters.yaml")
            file.write_text(json.dumps({"/**": {"ros__parameters": parameters}}))
            command += ["--params-file", str(file)]
        self._process = subprocess.Popen(
            [*command, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=Path(__file__).parent,
            env={**os.environ, "PYTHONFAULTHANDLER": "1"},
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
        """The current end of the output."""
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

    def printed_once(self, text, since=0):
        """Whether a text, waited for, has been printed once: answers overtake what is printed."""
        self.wait_for(text, since)
        return self.output(since).count(text) == 1

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

    def health(self, *options):
        """Run the command that prints the node's health, and return what it did."""
        return health("--node", f"{self.namespace}/generative_ik", "--timeout=20", *options)

    def wait(self, timeout=30.0):
        """Wait for the process to end; return its exit code and the time that took [s]."""
        start = time.monotonic()
        try:
            self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            # Prints where each thread is.
            self._process.send_signal(signal.SIGABRT)
            self._reader.join(timeout)
            raise AssertionError(f"the node has not ended:\n{self.output()}") from None
        finally:
            self._folder.cleanup()
        self._reader.join()
        return self._process.returncode, time.monotonic() - start

    def stop(self):
        """Ask the process to end."""
        if self.alive:
            self.signal(signal.SIGINT)
