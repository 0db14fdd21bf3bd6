"""Import every module of the package and of the benchmarks once, and with them what they use.

pip is told not to compile modules: most of those that it installs are never imported. The first
import compiles them, so that no node or test that looks at the clock has to.
"""

import importlib
import pkgutil


def main() -> None:
    """Import what is there; a module whose needs are not installed is left out."""
    for name in ("generative_ik_ros", "generative_ik_benchmarks"):
        try:
            package = importlib.import_module(name)
        except ImportError:
            continue
        for module in pkgutil.walk_packages(package.__path__, f"{name}.", onerror=lambda _: None):
            if not module.name.endswith("__main__"):
                try:
                    importlib.import_module(module.name)
                except ImportError:
                    continue


if __name__ == "__main__":
    main()
