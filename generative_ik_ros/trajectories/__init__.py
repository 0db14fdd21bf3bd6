"""Time along joint paths: trajectories within velocity and acceleration limits."""
