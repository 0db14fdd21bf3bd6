"""Web viewer in which users drag a robot's target pose; it does not need ROS."""
