"""The ROS 2 node, the only part of the package that imports rclpy."""
