"""Robot descriptions and kinematic chains, with their forward kinematics and Jacobians."""
