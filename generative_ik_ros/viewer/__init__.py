"""A web page with a robot whose target can be dragged, for machines with or without ROS."""
