# The project's commands. Everything that CI runs is a target here.
.DEFAULT_GOAL := help
SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
E2E_STAMP := $(VENV)/.installed-e2e
BROWSER_STAMP := $(VENV)/.installed-browser

# Tests that start processes, servers or tools of others stand apart, so that `make quick` stays
# under a minute.
UNIT := tests --ignore=tests/processes --ignore=tests/faults --ignore=tests/scripts \
        --ignore=tests/cases --ignore=tests/conformance --ignore=tests/fuzz \
        --ignore=tests/browser --ignore=tests/clients --ignore=tests/e2e

# Half of them, by the time that they take. Two runs cost a fifth less than one with two workers,
# where each worker finds every test and each report is sent.
HALF := tests/contract tests/domain tests/registry tests/tools

.PHONY: help install run test quick lint types arch unit check cases faults conformance clients e2e \
        browser chromium screenshots fuzz bench bench-docs format snapshots reports

help: ## This list
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z0-9-]+):.*## /\1\t/' | expand -t 14

install: $(STAMP) ## Make .venv with the package and what its tests need

$(STAMP): pyproject.toml constraints.txt
	@# A Python without ensurepip (Debian's, without python3-venv) gets pip from the outside.
	$(PYTHON) -m venv $(VENV) || \
		{ $(PYTHON) -m venv --clear --without-pip $(VENV) && \
		$(PYTHON) -m pip --python $(BIN)/python install --quiet pip; }
	$(BIN)/pip install --quiet --constraint constraints.txt --editable '.[dev,demo]'
	@touch $@

$(E2E_STAMP): $(STAMP)
	$(BIN)/pip install --quiet --constraint constraints.txt --editable '.[dev,demo,e2e]'
	@touch $@

$(BROWSER_STAMP): $(STAMP)
	$(BIN)/pip install --quiet --constraint constraints.txt --editable '.[dev,demo,browser]'
	@touch $@

run: install ## The whole loop of six agents on a small project, as it goes; DIR names a new folder
	@$(BIN)/devloop-tools demo "$${DIR:-$$(mktemp -d)/todo}"

test: install ## All tests but those that need the real CLI
	$(BIN)/pytest -n 2 -q

quick: lint arch ## Format, lint, types, contracts, unit tests: under a minute
	@# Without its cache mypy takes a quarter of a minute on one core, so it runs beside the tests.
	@$(BIN)/mypy >$(VENV)/types.log 2>&1 & types=$$!; \
		$(MAKE) --no-print-directory unit; unit=$$?; \
		wait $$types; types=$$?; cat $(VENV)/types.log; exit $$((unit | types))

lint: install
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: install
	$(BIN)/mypy

arch: install
	$(BIN)/lint-imports

unit: install
	@$(BIN)/pytest -q $(HALF) >$(VENV)/half.log 2>&1 & half=$$!; \
		$(BIN)/pytest -q $(UNIT) $(HALF:%=--ignore=%); rest=$$?; \
		wait $$half; half=$$?; cat $(VENV)/half.log; exit $$((half | rest))

check: lint types arch ## All that must never break and needs no CLI: under eight minutes
	$(BIN)/pytest -n 2 -q --cov --cov-report=term
	$(MAKE) --no-print-directory cases

faults: install ## Servers that are killed a hundred times under load; part of check
	$(BIN)/pytest -q -s tests/faults

cases: install ## The recorded failures of systems like ours
	$(BIN)/python scripts/run_cases.py tests/cases/cases.jsonl --only A,B,C,G,H,J

conformance: install ## The MCP conformance suites, through a bridge to HTTP; Node comes from npm
	$(BIN)/python scripts/conformance.py

clients: install ## Everybody else's clients drive the installed server; Node comes from npm
	$(BIN)/python -c 'from tests.conformance.node import install; install()'
	DEVLOOP_REQUIRE_CLIENTS=1 $(BIN)/pytest -q -n 2 -m clients tests/clients

fuzz: install ## Whatever a client may send, at length: DEVLOOP_FUZZ_EXAMPLES of each kind
	DEVLOOP_FUZZ_EXAMPLES=$${DEVLOOP_FUZZ_EXAMPLES:-2000} $(BIN)/pytest -q -n 2 tests/fuzz

e2e: $(E2E_STAMP) ## The real Claude CLI against a scripted model on loopback
	DEVLOOP_REQUIRE_E2E=1 $(BIN)/pytest -q -n 2 -m e2e tests/e2e

browser: $(BROWSER_STAMP) chromium ## Both sites from disk in headless Chromium: about a minute
	DEVLOOP_REQUIRE_BROWSER=$${CI:+1} $(BIN)/pytest -q -n 2 -m browser tests/browser

chromium:
	@# DEVLOOP_CHROMIUM names another; where there is none and none can be installed, tests are skipped.
	@[ -n "$$DEVLOOP_CHROMIUM" ] || command -v chromium chromium-browser google-chrome >/dev/null || \
		{ [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get update -q && \
		apt-get install -q -y --no-install-recommends chromium fonts-wqy-zenhei; } || \
		echo "there is no chromium, and it can't be installed here; DEVLOOP_CHROMIUM may name one"

screenshots: $(BROWSER_STAMP) chromium ## Pictures of both sites into docs/screenshots; look at them
	$(BIN)/python scripts/screenshots.py

bench: install ## Side by side with peers and baselines; writes bench/RESULTS.md
	$(BIN)/python bench/run.py

bench-docs: $(BROWSER_STAMP) chromium ## The documents' figures beside Pagefind; writes bench/DOCS.md
	$(BIN)/python bench/documents.py

format: install ## Rewrite files as the formatter wants them
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

snapshots: install ## Write the snapshots of definitions and lists anew; read the diff
	$(BIN)/python scripts/snapshots.py

reports: install ## Record the test reports of tests/fixtures/reports anew; runners come from npm
	$(BIN)/python scripts/record_reports.py
