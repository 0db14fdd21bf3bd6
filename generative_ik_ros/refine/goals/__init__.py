"""The local solver for several tips, relative poses and task space regions."""
