"""ROS 2 messages in, ROS 2 messages out: the only part of the package that imports rclpy."""
