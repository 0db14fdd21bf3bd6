"""`python -m generative_ik_ros`: command-line words come in, an exit code goes out."""

import sys

from generative_ik_ros.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
