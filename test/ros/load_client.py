"""A client process of ~/get_position_ik.

`python load_client.py SERVICE`; each line of standard input is a JSON list with the file of
requests, the file for the replies, and the mode. The client prints "ready" once it has read the
requests, starts at the next line, and prints "done".
"""

import json
import sys
import time
from pathlib import Path

import numpy as np
import rclpy
from moveit_msgs.srv import GetPositionIK
from position_ik_client import ik_request
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.qos import QoSProfile

PATIENCE = 10.0
"""Time after which a reply counts as lost [s]."""


class Caller:
    """Sends requests and waits for replies with minimal overhead.

    The 0.3 ms per call of an executor would count as the server's delay.
    """

    def __init__(self, service):
        self.node = rclpy.create_node(
            f"load{time.monotonic_ns()}", start_parameter_services=False, enable_rosout=False
        )
        self.client = self.node.create_client(
            GetPositionIK, service, qos_profile=QoSProfile(depth=1000)
        )
        assert self.client.wait_for_service(60.0), f"{service} is not available"
        context = self.node.context.handle
        self._set = rclpy_implementation.WaitSet(0, 0, 0, 1, 0, 0, context)

    def send(self, message):
        return self.client.handle.send_request(message)

    def take(self, patience):
        """Return the next reply and the number of its request, or None after a timeout."""
        self._set.clear_entities()
        self._set.add_client(self.client.handle)
        self._set.wait(int(patience * 1e9))
        header, answer = self.client.handle.take_response(GetPositionIK.Response)
        return None if header is None else (header.request_id.sequence_number, answer)

    def call(self, message, patience=PATIENCE):
        """Return the reply to a request; late replies to others are dropped."""
        number, end = self.send(message), time.monotonic() + patience
        while (left := end - time.monotonic()) > 0.0:
            taken = self.take(left)
            if taken is not None and taken[0] == number:
                return taken[1]
        return None


def messages(path):
    """Read the requests written by test_position_ik_load.py."""
    for one in json.loads(Path(path).read_text(encoding="utf-8")):
        yield (
            one["pause"],
            ik_request(np.array(one["target"]), one["group"], one["timeout"], state=one["state"]),
        )


def noted(start, answer):
    state = answer.solution.joint_state
    return {
        "start": start,
        "took": time.monotonic() - start,
        "code": answer.error_code.val,
        "solution": dict(zip(state.name, state.position, strict=True)),
    }


def one_by_one(caller, asked):
    """Send each request after the reply to the previous one."""
    answers = []
    for pause, message in asked:
        time.sleep(pause)
        start = time.monotonic()
        answer = caller.call(message)
        answers.append(None if answer is None else noted(start, answer))
    return answers


def all_at_once(caller, asked):
    """Send all requests before waiting for the first reply."""
    answers, starts = [None] * len(asked), {}
    for place, (_, message) in enumerate(asked):
        start = time.monotonic()
        starts[caller.send(message)] = place, start
    end = time.monotonic() + PATIENCE
    while starts and time.monotonic() < end:
        taken = caller.take(end - time.monotonic())
        if taken is not None and taken[0] in starts:
            place, start = starts.pop(taken[0])
            answers[place] = noted(start, taken[1])
    return answers


MANNERS = {"one by one": one_by_one, "all at once": all_at_once}


def main(service):
    rclpy.init()
    caller = Caller(service)
    # A first answer can get lost while both sides meet.
    while caller.call(GetPositionIK.Request(), 1.0) is None:
        pass
    for line in sys.stdin:
        questions, answers, manner = json.loads(line)
        asked = list(messages(questions))
        print("ready", flush=True)
        sys.stdin.readline()
        answered = MANNERS[manner](caller, asked)
        Path(answers).write_text(json.dumps(answered), encoding="utf-8")
        print("done", flush=True)
    caller.node.destroy_node()
    rclpy.shutdown()


if __name__ == "__main__":
    main(sys.argv[1])
