"""Robot descriptions in, kinematic chains with their forward kinematics and Jacobians out."""
