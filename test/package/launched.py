"""`ros2 launch` as a process, with this checkout as an installed package."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from ament_index_python.packages import PackageNotFoundError, get_package_prefix

CHECKOUT = Path(__file__).resolve().parents[2]
ROS2 = (sys.executable, "-c", "import sys; from ros2cli.cli import main; sys.exit(main())")
NODE = "generative_ik_node"
STAND_INS = {
    # RViz needs a display: this keeps the configuration that it is started with, and stays.
    "rviz2": """
import os, signal, sys
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT, signal.SIGTERM])
config = open(sys.argv[sys.argv.index("-d") + 1]).read()
with open("rviz.part", "w") as file:
    file.write(config)
os.rename("rviz.part", "rviz.txt")
signal.sigwait([signal.SIGINT, signal.SIGTERM])
""",
    # These two are used only where the real ones are not installed.
    "robot_state_publisher": """
import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.qos import DurabilityPolicy, QoSProfile
from std_msgs.msg import String
rclpy.init()
node = rclpy.create_node("robot_state_publisher")
latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
publisher = node.create_publisher(String, "robot_description", latched)
publisher.publish(String(data=node.declare_parameter("robot_description", "").value))
try:
    rclpy.spin(node)
except (KeyboardInterrupt, ExternalShutdownException):
    pass
""",
    "joint_state_publisher": """
import rclpy
from rclpy.executors import ExternalShutdownException
from sensor_msgs.msg import JointState
rclpy.init()
node = rclpy.create_node("joint_state_publisher")
publisher = node.create_publisher(JointState, "joint_states", 10)
try:
    rclpy.spin(node)
except (KeyboardInterrupt, ExternalShutdownException):
    pass
""",
}


def install(prefix: Path) -> Path:
    """Install the checkout under a prefix, without the packages that its launch files need."""
    share = install_package(prefix, "generative_ik_ros")
    for folder in ("config", "rviz"):
        (share / folder).symlink_to(CHECKOUT / folder)
    # ros2 launch does not look for launch files behind links.
    (share / "launch").mkdir()
    for file in (CHECKOUT / "launch").glob("*.py"):
        (share / "launch" / file.name).write_bytes(file.read_bytes())
    code = (CHECKOUT / "scripts" / NODE).read_text()
    _executable(prefix / "lib" / "generative_ik_ros" / NODE, code)
    return prefix


def install_stand_ins(prefix: Path) -> Path:
    """Install stand-ins of the other packages under a prefix."""
    for name, code in STAND_INS.items():
        try:
            get_package_prefix(name)
        except (PackageNotFoundError, LookupError, OSError):  # not there, or no prefix at all
            pass
        else:
            if name != "rviz2":
                continue
        install_package(prefix, name)
        _executable(prefix / "lib" / name / name, code)
    return prefix


def install_package(prefix: Path, name: str) -> Path:
    """Make an empty package known under a prefix; return its share folder."""
    marker = prefix / "share" / "ament_index" / "resource_index" / "packages" / name
    marker.parent.mkdir(parents=True, exist_ok=True)
    marker.touch()
    (prefix / "share" / name).mkdir(parents=True)
    return prefix / "share" / name


def _executable(path: Path, code: str) -> None:
    path.parent.mkdir(parents=True)
    path.write_text(f"#!{sys.executable}\n{code}")
    path.chmod(0o755)


class Launched:
    """A launch file that is running; a namespace of its own tells its processes from others."""

    def __init__(self, folder: Path, file: str, *arguments: str, prefixes: list[Path]):
        self._folder, self._log = folder, folder / "output.txt"
        environment = {
            **os.environ,
            "AMENT_PREFIX_PATH": os.pathsep.join(map(str, prefixes)),
            "ROS_LOG_DIR": str(folder),
            "PYTHONPATH": os.pathsep.join([str(CHECKOUT), *filter(None, sys.path)]),
            "PYTHONUNBUFFERED": "1",
        }
        with self._log.open("w") as log:
            self._process = subprocess.Popen(
                [*ROS2, "launch", "generative_ik_ros", file, *arguments],
                stdout=log,
                stderr=subprocess.STDOUT,
                env=environment,
                cwd=folder,
                start_new_session=True,
            )

    def output(self) -> str:
        return self._log.read_text()

    def wait_for(self, text: str, timeout: float = 180.0) -> str:
        """Wait until a text has been printed."""
        end = time.monotonic() + timeout
        while text not in self.output():
            assert time.monotonic() < end and self._process.poll() is None, self.output()
            time.sleep(0.05)
        return self.output()

    def wait(self, timeout: float = 30.0) -> int:
        """Wait for the end; nothing that was started may be left."""
        try:
            code = self._process.wait(timeout)
            left = self._running()
            assert not left, (left, self.output())
        finally:
            self.kill()
        return code

    def rviz_configuration(self) -> str:
        """Wait for RViz; return the configuration that it was started with."""
        end = time.monotonic() + 180.0
        while not (config := self._folder / "rviz.txt").exists():
            assert time.monotonic() < end and self._process.poll() is None, self.output()
            time.sleep(0.05)
        return config.read_text()

    def interrupt(self) -> int:
        """Press Ctrl-C, which reaches the whole group of processes."""
        os.killpg(self._process.pid, signal.SIGINT)
        return self.wait()

    def kill(self) -> None:
        """End what is left."""
        for pid in self._running():
            os.kill(pid, signal.SIGKILL)
        self._process.wait(10.0)

    def _running(self) -> list[int]:
        """Return the processes of this session that have not ended."""
        found = []
        for status in Path("/proc").glob("[0-9]*/stat"):
            try:
                state, _, _, session = status.read_text().rpartition(")")[2].split()[:4]
            except OSError:
                continue
            if int(session) == self._process.pid and state != "Z":
                found.append(int(status.parent.name))
        return found
