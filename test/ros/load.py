"""Concurrent client processes of ~/get_position_ik."""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Question:
    """A request: preceding pause [s], target (4, 4), timeout [s], seed by joint, reachability."""

    pause: float
    target: list
    timeout: float
    state: dict
    far: bool
    group: str


@dataclass(frozen=True)
class Answer:
    """A reply: when its request was sent, the response time [s], error code, joint positions."""

    start: float
    took: float
    code: int
    solution: dict


def questions(reached, panda, number, count, timeouts, pause=0.0, group="panda_arm"):
    """Return a client's requests, some out of reach, with all timeouts in turn."""
    rng = np.random.default_rng(number)
    made = []
    for i in range(count):
        far = rng.random() < 0.2
        place, seed = (
            dict(zip(panda.joint_names, rng.uniform(panda.lower, panda.upper), strict=True))
            for _ in range(2)
        )
        target = reached(place).copy()
        if far:
            target[:3, 3] *= 2.5 / np.linalg.norm(target[:3, 3])
        timeout = timeouts[(i + number) % len(timeouts)]
        rest = float(rng.exponential(pause)) if pause else 0.0
        made.append(Question(rest, target.tolist(), timeout, seed, far, group))
    return made


class Clients:
    """Client processes that call a service concurrently.

    In a single process the clients would delay each other, and seem to be served late.
    """

    def __init__(self, service, number, folder):
        self._folder = folder
        command = [sys.executable, str(HERE / "load_client.py"), service]
        self._processes = [
            subprocess.Popen(
                command, cwd=HERE, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
            )
            for _ in range(number)
        ]

    def ask(self, asked, manner="one by one"):
        """Let each client send its requests; return all (request, reply) pairs.

        A reply that did not arrive is None.
        """
        files = []
        for number, own in enumerate(asked):
            files.append([self._folder / f"{kind}{number}.json" for kind in ("asked", "answered")])
            files[-1][0].write_text(json.dumps([vars(one) for one in own]), encoding="utf-8")
        for process, (questions, answers) in zip(self._processes, files, strict=True):
            self._say(process, json.dumps([str(questions), str(answers), manner]))
        self._await("ready")
        for process in self._processes:
            self._say(process, "go")
        self._await("done")
        pairs = []
        for own, (_, answers) in zip(asked, files, strict=True):
            noted = json.loads(answers.read_text(encoding="utf-8"))
            pairs += [
                (question, None if note is None else Answer(**note))
                for question, note in zip(own, noted, strict=True)
            ]
        return pairs

    @staticmethod
    def _say(process, line):
        process.stdin.write(line + "\n")
        process.stdin.flush()

    def _await(self, word):
        for process in self._processes:
            said = process.stdout.readline()
            assert said == word + "\n", f"a client said {said!r} instead of {word!r}"

    def close(self):
        for process in self._processes:
            process.stdin.close()
        for process in self._processes:
            try:
                assert process.wait(30.0) == 0
            except subprocess.TimeoutExpired:
                # All replies are in; that rclpy ends is not what is tested.
                process.kill()
                process.wait()
            process.stdout.close()
