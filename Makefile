# make demo   the main job, end to end: a coprocessor for ECDH on P-256
# make test   format, lint, types, docs, tests
# make help   everything else
#
# Both set themselves up: they need Python 3.11 or later, a C++ compiler and make.
# Another interpreter: make PYTHON=python3.12 ...

ifndef PYTHON
PYTHON := $(shell for p in python3 python3.13 python3.12 python3.11; do \
	"$$p" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo "$$p"; break; }; done)
PYTHON := $(or $(PYTHON),python3)
endif

VENV := .venv
BIN := $(VENV)/bin
RESIDUA := $(BIN)/residua
JOBS ?= $(or $(shell nproc 2>/dev/null),2)
DEMO := build/demo

PIP_INSTALL := $(BIN)/python -m pip --disable-pip-version-check install --quiet

# Otherwise each of many short processes compiles all of the package again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help answers papers setup test test-system lint types docs format demo demo-multiplier campaign bench bench-suite bench-commands results proofs constant-time netlists mutants pages shipped digests lock clean
.DEFAULT_GOAL := help

help:
	@echo 'demo      build, verify, place and route, and report a coprocessor for ECDH on P-256'
	@echo 'demo-multiplier  the same for a multiplier modulo the prime of P-256'
	@echo 'test      lint, types, docs and the tests (ANEW=1: also those that have passed with the same files)'
	@echo 'test-system  what needs packages of the system: pages in a browser (tests/system/packages.txt)'
	@echo 'lint      formatting and lint rules        types   strict type check'
	@echo 'docs      the documentation, in build/docs format  put the formatting right'
	@echo 'bench     the measured tables              campaign  a million products on each of ten multipliers'
	@echo 'campaign-NAME  another campaign: hbe, sbmm, sbmm-ladders, digits, rsa, powers, inversions, ecpm, ecdh, handshakes, systems, devices, resets, faults, leakage, templates, correlation'
	@echo 'proofs    everything that is proved        netlists  synthesised netlists against the model'
	@echo 'mutants   faults in every kind of core     constant-time  cycles of points over a thousand secrets'
	@echo 'results   which measured rows hold (STALE=1: measure the others; SCHEDULER=ADDRESS: by Dask)'
	@echo 'pages     the pages and tables that are made of rows'
	@echo 'explore-NAME  the best cores of a space of spaces/, for `residua pick` and `build --goal`'
	@echo 'shipped   the measured rows that are part of the package'
	@echo 'bench-suite  how long the tests take, and with what   bench-commands  how long commands take (GROUP=NAME: some of them)'
	@echo 'digests   what small specifications give, for a change of generated files'
	@echo 'answers   the placements that are part of the package'
	@echo 'papers    docs/papers.md: where the contents of the papers are'
	@echo 'setup     only make the virtual environment'
	@echo 'lock      write requirements.txt anew (UPGRADE=1: with the newest versions)'
	@echo 'clean     remove the virtual environment and everything generated'

setup: $(VENV)/project.stamp

$(VENV)/requirements.stamp: requirements.txt scripts/venv.sh scripts/install.sh
	scripts/venv.sh '$(PYTHON)' $(VENV)
	scripts/install.sh $(VENV) requirements.txt
	@touch $@

$(VENV)/system.stamp: requirements-system.txt $(VENV)/project.stamp
	scripts/install.sh $(VENV) requirements-system.txt
	@touch $@

$(VENV)/project.stamp: $(VENV)/requirements.stamp pyproject.toml
	$(PIP_INSTALL) --no-deps --no-build-isolation --editable .
	@touch $@

TESTS := -n $(JOBS) --dist loadfile --no-loadscope-reorder --durations=15
# Modules of tests that have passed with the same files need not run again; ANEW=1 runs all.
test: lint types docs
	$(BIN)/python -m pytest -p tests.kept_verdicts $(if $(ANEW),--anew) $(TESTS)

# What is missing is told before anything is set up.
test-system:
	@scripts/system_packages.sh tests/system/packages.txt
	@$(MAKE) --no-print-directory $(VENV)/system.stamp
	$(BIN)/python -m pytest -n 0 tests/system

lint: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: setup
	$(BIN)/mypy

docs: setup
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict

format: setup
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# One placement, which its report says: of the five that a clock takes each is minutes more.
demo: setup
	rm -rf $(DEMO)
	$(RESIDUA) build --curve P-256 --bus axi -o $(DEMO)
	$(RESIDUA) verify $(DEMO)
	$(RESIDUA) synth $(DEMO) --target ecp5 --seeds 1
	$(RESIDUA) report $(DEMO)

demo-multiplier: setup
	rm -rf $(DEMO)-multiplier
	$(RESIDUA) build --modulus P-256 --width 17 -o $(DEMO)-multiplier
	$(RESIDUA) verify $(DEMO)-multiplier
	$(RESIDUA) synth $(DEMO)-multiplier --target ecp5 --seeds 1
	$(RESIDUA) report $(DEMO)-multiplier

# Rows that still hold are kept.
EVIDENCE := $(RESIDUA) evidence --store results --output docs/results
PAGES := $(RESIDUA) results --pages

campaign: campaign-multipliers

campaign-%: setup
	$(EVIDENCE) $*
	$(PAGES) $*

proofs netlists mutants constant-time: setup
	$(EVIDENCE) $@

# What is published, and whether it still holds; STALE=1 measures what does not.
results: setup
	$(RESIDUA) results $(if $(STALE),--measure) $(if $(SCHEDULER),--scheduler $(SCHEDULER)) --jobs $(JOBS)
	$(if $(STALE),$(PAGES))

# Pages of results, and tables of rows in README.md and docs, out of the rows as they are.
pages: setup
	$(PAGES)

# The rows that users choose cores from, out of the rows as they are.
shipped: setup
	$(BIN)/python -m residua.explore.designs.shipped results

# A space of spaces/; what is known of it already is kept.
explore-%: setup
	$(RESIDUA) explore spaces/$*.toml -o results/explored --jobs $(JOBS) --report
	$(MAKE) shipped pages

bench: setup
	$(EVIDENCE) clocks
	$(EVIDENCE) points
	$(PAGES) clocks points

bench-suite: setup
	$(BIN)/python benchmarks/suite.py $(TESTS)

bench-commands: setup
	$(BIN)/python benchmarks/commands.py $(if $(GROUP),'$(GROUP)')

digests: setup
	$(BIN)/python -m tests.cores.generated

answers: setup
	$(BIN)/python -m residua.evidence.answers

papers: setup
	$(BIN)/python -m residua.papers.contents.page .

# Locked on the oldest supported Python, so that what only it needs is in the lock too.
LOCK_VENV := build/lock-venv
SYSTEM_EXTRAS := litex system-test ice40 nexus gowin gatemate machxo3
PIP_COMPILE = $(LOCK_VENV)/bin/pip-compile --quiet --generate-hashes --strip-extras --no-header \
	--no-annotate --no-emit-options $(if $(UPGRADE),--upgrade)
lock:
	scripts/venv.sh '$(PYTHON)' $(LOCK_VENV)
	$(LOCK_VENV)/bin/python -m pip --disable-pip-version-check install --quiet pip-tools
	$(PIP_COMPILE) --extra dev --output-file requirements.txt pyproject.toml
	$(PIP_COMPILE) --extra dev $(patsubst %,--extra %,$(SYSTEM_EXTRAS)) --constraint requirements.txt \
		--output-file $(LOCK_VENV)/all.txt pyproject.toml
	grep --invert-match --line-regexp --fixed-strings --file=requirements.txt $(LOCK_VENV)/all.txt > requirements-system.txt
	sed -i '1i # Locked with hashes by "make lock" from pyproject.toml.' requirements.txt requirements-system.txt

clean:
	rm -rf $(VENV) build src/residua.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis
