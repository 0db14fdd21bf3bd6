"""Inverse kinematics in closed form: which arms have one, and all branches of a pose."""
