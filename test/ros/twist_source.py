"""Sends a twist at 50 Hz until it is killed: NAMESPACE VX VY VZ WX WY WZ."""

import sys
import time

import rclpy
from geometry_msgs.msg import TwistStamped
from servo_arm import twist_message

rclpy.init()
node = rclpy.create_node("twist_source", namespace=sys.argv[1])
publisher = node.create_publisher(TwistStamped, "generative_ik/servo_twist", 10)
message = twist_message(sys.argv[2:])
while True:
    publisher.publish(message)
    time.sleep(0.02)
