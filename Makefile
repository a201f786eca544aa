# The whole set-up on a machine with Python 3.11 or newer and make: `make build`, then `make test`.

PYTHON ?= python3
BIN := .venv/bin

.PHONY: build test lint bench golden docs lock clean

build: .venv/.complete  ## make the environment, compile specs/ to generated/
	$(BIN)/gpuobs build

test: .venv/.complete  ## everything that must hold: lint, types, tests, the output in promtool, freshness
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/gpuobs doctor --fetch
	$(BIN)/gpuobs build --check
	$(BIN)/gpuobs lint --strict
	$(BIN)/gpuobs test
	$(BIN)/pytest -n auto --dist loadfile

lint: .venv/.complete  ## put right what can be, then check code and specs
	$(BIN)/ruff format
	$(BIN)/ruff check --fix
	$(BIN)/mypy
	$(BIN)/gpuobs lint --strict

bench: .venv/.complete  ## print the benchmark's ratios
	$(BIN)/python -m benchmarks

golden: .venv/.complete  ## write the golden files anew: read the diff before you commit it
	$(BIN)/pytest -q --update-golden

docs: .venv/.complete  ## write the generated pages of docs/
	$(BIN)/python tools/docs.py

lock: .venv/.complete  ## resolve the dependencies again and write their hashes
	$(BIN)/python tools/lock.py

clean:  ## remove everything that git does not track and that we made
	rm -rf .venv .gpuobs .mypy_cache .ruff_cache .pytest_cache .hypothesis dist
	find . -name __pycache__ -prune -exec rm -rf {} +

.venv/.complete: requirements/dev.txt pyproject.toml tools/environment.py
	@command -v $(PYTHON) >/dev/null || { echo "gpuobs needs Python 3.11 or newer, and there is no '$(PYTHON)'" >&2; exit 2; }
	@$(PYTHON) tools/environment.py .venv
	@touch $@
