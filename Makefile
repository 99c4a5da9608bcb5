# Every target makes its own .venv; Python 3.11 or newer and make are all that must be there.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
AUDIT := $(VENV)-audit
SITE := $(VENV)-docs
PIP := $(BIN)/python -m pip --disable-pip-version-check -q
PYTEST := $(BIN)/python -m pytest
WORKERS ?= auto
REPORT ?= speed
TIMES ?= 40
# Tests start some hundred processes: none may have to compile the package anew.
unexport PYTHONDONTWRITEBYTECODE
HEAVY := browser or calibration or kills or slow or faults or conformance

.DEFAULT_GOAL := help
.PHONY: help install demo test test-all check prose format bench check-figures conformance langgraph-server wheel docs bundle \
  faults fuzz browser proxy snapshots lock sbom audit licences clean

help:  ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 12

$(INSTALLED): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "reasonloom needs Python 3.11 or newer; found: $$($(PYTHON) --version 2>&1)"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --require-hashes -r requirements.lock
	$(PIP) install --no-deps --no-build-isolation -e .
	@touch $@

install: $(INSTALLED)  ## make .venv with everything pinned

demo: $(INSTALLED)  ## a conversation remembered, recalled and reasoned over, over MCP
	$(BIN)/reasonloom demo

test: $(INSTALLED)  ## what most changes need, in minutes; each worker has a real Postgres of its own
	$(PYTEST) -n $(WORKERS) --dist worksteal -m "not ($(HEAVY))"

test-all: $(INSTALLED)  ## what CI runs: browser, kills and all that is slow too; the rest is in `make faults`
	$(PYTEST) -n $(WORKERS) --dist worksteal

check: $(INSTALLED) prose  ## format, lint, types, layers, prose
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

prose: $(INSTALLED)  ## check the English of docs, help and descriptions
	$(BIN)/python -m tests.support.docs.prose

format: $(INSTALLED)  ## let ruff put the files in order
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(INSTALLED)  ## speed, as ratios to floors of the same run, and docs/speed.md; BENCH="--sizes 1000,10000" for more, REPORT=speed-large for a second report
	@mkdir -p docs/figures
	$(BIN)/reasonloom bench $(BENCH) --output docs/figures/$(REPORT).json
	$(BIN)/python -m tests.support.docs.speed --measured docs/figures/$(REPORT).json

check-figures: $(INSTALLED)  ## fail where docs/speed.md or the code is not that of the last bench
	$(BIN)/python -m tests.support.docs.speed --check

conformance: $(INSTALLED)  ## MCP's public suite and Inspector against our server (needs npm)
	$(BIN)/python -m tests.support.clients.conformance

langgraph-server: $(INSTALLED)  ## langgraph.json's graphs under LangGraph's own in-memory server
	$(PYTHON) -m venv $(VENV)-langgraph
	$(VENV)-langgraph/bin/python -m pip --disable-pip-version-check -q install "langgraph-cli[inmem]" -e .
	$(PYTEST) tests/library/test_langgraph_server.py -o addopts=""

wheel: $(INSTALLED)  ## build dist/reasonloom-VERSION-py3-none-any.whl
	$(BIN)/python -m hatchling build -t wheel

docs: $(SITE)/.installed  ## build the documentation as a site in build/site; links are checked
	$(SITE)/bin/mkdocs build --strict --quiet --config-file packaging/mkdocs.yml

$(SITE)/.installed: packaging/docs.lock
	$(PYTHON) -m venv $(SITE)
	$(SITE)/bin/python -m pip --disable-pip-version-check -q install --require-hashes -r packaging/docs.lock
	@touch $@

bundle: $(INSTALLED)  ## dist/reasonloom.mcpb for Claude Desktop (needs npm)
	$(BIN)/python packaging/bundle.py

faults: $(INSTALLED)  ## for a release: kills at every point, planted faults, calibration; TIMES=n at each point of a server
	$(PYTEST) -m "faults or calibration" -o addopts=""
	$(BIN)/python -m tests.support.killing --times $(TIMES)

fuzz: $(INSTALLED)  ## 10,000 inputs for every tool over both transports, for hours; FUZZ="--inputs 100" for fewer
	$(BIN)/python -m tests.support.fuzzing $(FUZZ)

browser:  ## Debian's chromium for the tests of pages, as root
	command -v chromium >/dev/null || { apt-get update -q && \
	  DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends chromium fonts-dejavu-core; }

proxy:  ## Debian's caddy and promtool in /usr/local/bin, for the tests of a team's server, as root
	command -v caddy >/dev/null && command -v promtool >/dev/null || { apt-get update -q && \
	  cd "$$(mktemp -d)" && apt-get download -q caddy prometheus && \
	  for package in *.deb; do dpkg -x "$$package" .; done && \
	  install usr/bin/caddy usr/bin/promtool /usr/local/bin; }

snapshots: $(INSTALLED)  ## write schemas, drawings, prompts and docs/tools anew
	$(BIN)/python -m tests.support.published_schemas
	$(PYTEST) tests/snapshots --snapshot-update
	$(BIN)/python -m tests.support.toolpages.token_table
	$(BIN)/python -m tests.support.toolpages.answer_table
	$(BIN)/python -m tests.support.toolpages
	$(BIN)/python -m tests.support.library_files
	$(BIN)/python -m tests.support.docs.layout

lock: $(INSTALLED)  ## pin and hash every dependency again (needs uv)
	uv pip compile pyproject.toml --all-extras --group dev --universal --python-version 3.11 \
	  --generate-hashes -q -o requirements.lock
	uv pip compile --group docs --universal --python-version 3.11 --generate-hashes -q -o packaging/docs.lock
	uv pip compile --group audit --universal --python-version 3.11 --generate-hashes -q -o packaging/audit.lock

$(AUDIT)/.installed: packaging/audit.lock
	$(PYTHON) -m venv $(AUDIT)
	$(AUDIT)/bin/python -m pip --disable-pip-version-check -q install --require-hashes -r packaging/audit.lock
	@touch $@

sbom: $(AUDIT)/.installed  ## dist/sbom.json: everything locked with its hashes, as CycloneDX
	@mkdir -p dist
	$(AUDIT)/bin/cyclonedx-py requirements --pyproject pyproject.toml --output-reproducible \
	  -o dist/sbom.json requirements.lock

# Without --strict what could not be looked up counts as free of vulnerabilities.
audit: $(AUDIT)/.installed  ## known vulnerabilities of what is locked; asks PyPI, and fails where it cannot
	@$(AUDIT)/bin/pip-audit --strict --disable-pip --require-hashes --progress-spinner off -r requirements.lock \
	  || { echo "vulnerable, or not audited: the lines above tell which; an index that is no PyPI knows no advisories"; exit 1; }

licences: $(INSTALLED)  ## name, version and licence of everything in .venv, with tabs
	@$(BIN)/python packaging/licences.py

clean:  ## remove .venv and caches
	rm -rf $(VENV) $(AUDIT) $(SITE) build .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
