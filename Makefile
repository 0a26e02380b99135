# Every target works as the first command on a machine with git, make, a python3 with pip or venv,
# the package registries and a Python >= 3.12 somewhere: .ci/bootstrap brings the rest.
.DEFAULT_GOAL := help
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: help demo test check format lint types contracts conformance crash clients picture bench lock clean

help: ## this list
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t14

$(READY): requirements/dev.txt pyproject.toml .ci/bootstrap
	@sh .ci/bootstrap $(VENV)

demo: $(READY) ## one session, one compaction, end to end: no key, no network
	@$(BIN)/compaction-gate demo

test: $(READY) ## the whole test suite
	$(BIN)/pytest

check: $(READY) format lint types contracts test ## what CI runs: format, lint, types, import contracts, tests

format: $(READY) ## formatting is as committed
	$(BIN)/ruff format --check .

lint: $(READY) ## ruff
	$(BIN)/ruff check .

types: $(READY) ## mypy, strict, tests too
	$(BIN)/mypy

contracts: $(READY) ## import contracts
	$(BIN)/lint-imports

conformance: $(READY) ## raw-socket suite against the relay; ARGS="--target URL" for another proxy
	@mkdir -p build
	$(BIN)/python -m tests.conformance --json build/conformance.json $(ARGS)

crash: $(READY) ## kill -9 under load, 100 times; ARGS="--seed N"
	@mkdir -p build
	$(BIN)/python -m tests.crash --json build/crash.json $(ARGS)

clients: $(READY) ## real agent clients through a real relay
	@mkdir -p build
	$(BIN)/python -m tests.clients --json build/clients.json $(ARGS)

picture: demo ## docs/session.svg from the demo's session
	$(BIN)/compaction-gate --data build/demo/data session last --format svg > docs/session.svg

bench: $(READY) ## CPU, latency and memory beside nginx, bare aiohttp and mitmdump
	@mkdir -p build
	$(BIN)/python -m tests.bench --json build/bench.json $(ARGS)

lock: $(READY) ## resolve requirements/*.txt again
	@sh .ci/lock

clean: ## remove what the targets made
	rm -rf $(VENV) .tools build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
