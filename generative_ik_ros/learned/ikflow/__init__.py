"""IKFlow: a conditional normalizing flow over the configurations of one chain."""
