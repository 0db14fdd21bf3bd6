"""Ask a running node for configurations, through its ROS service.

Start a node first: ros2 launch generative_ik_ros panda.launch.py
"""

import numpy as np
import rclpy
from geometry_msgs.msg import Point, Pose, Quaternion

from generative_ik_ros.srv import GetIKSolutions

rclpy.init()
node = rclpy.create_node("ik_client")
client = node.create_client(GetIKSolutions, "generative_ik/get_ik_solutions")
if not client.wait_for_service(timeout_sec=10.0):
    raise SystemExit(f"no node offers {client.srv_name}")

# Two poses of the tip in the base link; fields that are left out take the node's defaults.
request = GetIKSolutions.Request(num_solutions=20, timeout=0.5)
down = Quaternion(x=1.0, y=0.0, z=0.0, w=0.0)
request.targets.poses = [
    Pose(position=Point(x=0.45, y=y, z=0.4), orientation=down) for y in (-0.1, 0.1)
]
# Nearest to where the arm is: a whole JointState may be passed.
# request.seed_state, request.seed_joint_names = list(state.position), list(state.name)

future = client.call_async(request)
rclpy.spin_until_future_complete(node, future, timeout_sec=10.0)
response = future.result()
if response is None or response.status < 0:
    raise SystemExit("no answer" if response is None else response.message)

# Flat arrays: the solutions of the first target, best first, then those of the second.
positions = np.reshape(response.positions, (-1, len(response.joint_names)))
print(response.joint_names, f"solved in {1e3 * response.solve_time:.1f} ms")
for number, rows in enumerate(np.split(positions, np.cumsum(response.counts)[:-1])):
    print(f"target {number}: {len(rows)} solutions, the first: {rows[:1].round(3)}")
node.destroy_node()
rclpy.shutdown()
