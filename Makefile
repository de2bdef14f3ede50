# Both commands of the README set themselves up: .venv is made from the locked versions, and is quick when it is there.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: run test bench words screenshots lock
run: .venv/.run-ready
	$(BIN)/serendipity serve $(ARGS)

test: .venv/.dev-ready
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/pytest -n 2 $(ARGS)

bench: .venv/.dev-ready
	$(BIN)/python -m tests.bench
	$(BIN)/python -m tests.load $(ARGS)

# Puts new texts of code and templates into the catalogues; what it names is still to be translated.
words: .venv/.dev-ready
	$(BIN)/python -m tests.words

screenshots: .venv/.dev-ready
	$(BIN)/python -m tests.screenshots

.venv/.run-ready: requirements.lock pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	touch $@

.venv/.dev-ready: .venv/.run-ready requirements-dev.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock
	touch $@

# The only target that looks for newer versions. The build tools are locked with the rest, so that an install next year gives the same program.
lock:
	uv pip compile --universal --generate-hashes --no-emit-index-url --no-header --upgrade pyproject.toml --group build --output-file requirements.lock
	uv pip compile --universal --generate-hashes --no-emit-index-url --no-header --upgrade pyproject.toml --group dev --constraint requirements.lock --output-file requirements-dev.lock
