"""A client of the node's services and topics."""

import itertools
import threading
import time

import numpy as np
import rclpy
from geometry_msgs.msg import PoseStamped
from rcl_interfaces.srv import DescribeParameters, GetParameters, SetParameters
from rclpy.parameter import Parameter
from rclpy.qos import DurabilityPolicy, QoSProfile
from scipy.spatial.transform import Rotation
from std_msgs.msg import String
from visualization_msgs.msg import MarkerArray

from generative_ik_ros.msg import IKSolutions
from generative_ik_ros.ros.conversions import transforms_to_poses
from generative_ik_ros.ros.workers import Stop, Workers
from generative_ik_ros.srv import GetIKPath, GetIKSolutions

_numbers = itertools.count()
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
# With rmw_fastrtps a client also receives the replies to all others. A queue of the default depth
# of 10 overflows within 3 ms, less than a thread may wait for the interpreter.
MANY = QoSProfile(depth=1000)
Response = GetIKSolutions.Response
SOLVE = GetIKSolutions, "get_ik_solutions"


def request(targets=(), kind=GetIKSolutions, **fields):
    """A request for (B, 4, 4) targets."""
    message = kind.Request(**fields)
    if len(targets):
        message.targets.poses = transforms_to_poses(targets)
    return message


def sweep(count):
    """Configurations (count, 7) of the Panda along a smooth motion [rad]."""
    ends = (0.0, -0.5, 0.0, -2.0, 0.0, 1.5, 0.7), (1.0, 0.0, 0.5, -1.2, 0.5, 1.8, 1.7)
    return np.linspace(*ends, count)


def path_request(targets=(), **fields):
    """A request for a path through (B, 4, 4) targets."""
    return request(targets, GetIKPath, **fields)


def pose_rows(targets):
    """The poses (B, 4, 4) as rows x y z and a quaternion, flat."""
    turns = Rotation.from_matrix(targets[:, :3, :3]).as_quat()
    return np.hstack([targets[:, :3, 3], turns]).ravel().tolist()


def reply(client, message, timeout):
    """Call a service; None if no reply comes in time [s], for which Kilted's rclpy raises."""
    try:
        return client.call(message, timeout)
    except TimeoutError:
        return None


class IKClient:
    def __init__(self, namespace):
        # Numbered, because nodes of the same name share a log publisher.
        self.node = rclpy.create_node(
            f"client{next(_numbers)}", namespace=namespace, start_parameter_services=False
        )
        # spin_until_future_complete becomes slower with every call in rclpy 7.1; a thread does
        # not, but where it only spins, it ends if another one destroys what it begins to wait for.
        self._stop = Stop()
        self._workers = Workers(self.node, self._stop)
        self._workers.start(1)
        self._services, self._publishers = {}, {}

    def close(self):
        if not self._stop.is_set():
            self._stop.set()
            assert self._workers.join(20.0)
            self._workers.executor.shutdown()
            self.node.destroy_node()

    def service(self, kind, name):
        """The client of a service of the node, which is made once."""
        if name not in self._services:
            made = self.node.create_client(kind, f"generative_ik/{name}", qos_profile=MANY)
            assert made.wait_for_service(30.0)
            self._services[name] = made
        return self._services[name]

    def ask(self, kind, name, message, timeout=60.0):
        """Return the reply of a service, which must arrive."""
        response = reply(self.service(kind, name), message, timeout)
        assert response is not None, "no reply"
        return response

    def wait(self, timeout=120.0, prepared=True):
        """Wait for a reply: the first can be lost while discovery is incomplete.

        Of a node that has a robot, the reply is one that does not ask to try again.
        """
        service, end = self.service(*SOLVE), time.monotonic() + timeout
        while True:
            answer = reply(service, GetIKSolutions.Request(), 1.0)
            if answer is not None and not (prepared and answer.status == Response.PREPARING):
                return
            assert time.monotonic() < end, answer
            time.sleep(0.02)

    def call(self, message, timeout=30.0):
        return self.ask(*SOLVE, message, timeout)

    def call_path(self, message):
        return self.ask(GetIKPath, "get_ik_path", message)

    def call_async(self, message):
        return self.service(*SOLVE).call_async(message)

    def until(self, message, wanted, timeout=60.0):
        """Repeat a request until `wanted` is true of its reply."""
        end = time.monotonic() + timeout
        while True:
            response = self.call(message)
            if wanted(response) or time.monotonic() > end:
                assert wanted(response), response
                return response
            time.sleep(0.02)

    def describe_robot(self, text):
        """Publish a robot description, latched as robot_state_publisher does."""
        self.publisher(String, "robot_description").publish(String(data=text))

    def publish_target(self, pose, frame_id=""):
        publisher = self.publisher(PoseStamped, "generative_ik/target_pose")
        self._when(lambda: publisher.get_subscription_count() > 0)
        message = PoseStamped(pose=pose)
        message.header.frame_id = frame_id
        publisher.publish(message)

    def publisher(self, kind, topic):
        """A publisher of a latched topic, which is made once."""
        if topic not in self._publishers:
            self._publishers[topic] = self.node.create_publisher(kind, topic, LATCHED)
        return self._publishers[topic]

    def solutions(self):
        return Topic(self, IKSolutions, "generative_ik/solutions", 10)

    def markers(self):
        return Topic(self, MarkerArray, "generative_ik/solution_markers", LATCHED)

    def path_markers(self):
        return Topic(self, MarkerArray, "generative_ik/path_markers", LATCHED)

    def set_parameters(self, **values):
        """Set parameters; return one result for each."""
        message = SetParameters.Request(
            parameters=[Parameter(name, value=v).to_parameter_msg() for name, v in values.items()]
        )
        return self.ask(SetParameters, "set_parameters", message).results

    def get_parameters(self, *names):
        message = GetParameters.Request(names=names)
        return self.ask(GetParameters, "get_parameters", message).values

    def describe_parameters(self, *names):
        message = DescribeParameters.Request(names=names)
        return self.ask(DescribeParameters, "describe_parameters", message).descriptors

    @staticmethod
    def _when(condition, timeout=10.0):
        end = time.monotonic() + timeout
        while not condition():
            assert time.monotonic() < end, "timed out"
            time.sleep(0.01)


class Topic:
    """The messages that arrive on a topic, in order."""

    def __init__(self, client, kind, name, qos):
        self._client = client
        self._messages = []
        self._news = threading.Condition()
        self._subscription = client.node.create_subscription(kind, name, self._take, qos)
        client._when(lambda: client.node.count_publishers(self._subscription.topic_name) > 0)
        # Whether the publisher has discovered the subscription cannot be queried here.
        time.sleep(0.3)

    def _take(self, message):
        with self._news:
            self._messages.append(message)
            self._news.notify_all()

    def __len__(self):
        return len(self._messages)

    def next(self, timeout=10.0):
        with self._news:
            assert self._news.wait_for(lambda: self._messages, timeout), "no message"
            return self._messages.pop(0)

    def close(self):
        self._client.node.destroy_subscription(self._subscription)
