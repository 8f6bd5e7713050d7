# SPDX-License-Identifier: Apache-2.0
# Each target is a thin line over a tool in sw/flow. Only build/ and .venv/ are written.

PYTHON ?= python3
RUN    := .venv/bin/python -m
JOBS   ?= auto

export PYTHONPYCACHEPREFIX := $(CURDIR)/build/cache/python

.PHONY: help setup test lint p4 bench synth prove mutants coverage soak docs clean lock
.DEFAULT_GOAL := help

help: ## this list
	@sed -n 's/^\([a-z0-9]*\):[^#]*## \(.*\)/make \1|\2/p' $(firstword $(MAKEFILE_LIST)) | awk -F'|' '{ printf "%-14s %s\n", $$1, $$2 }'

setup: ## tools into .venv, as pinned in requirements.lock; every other target does this first
	@$(PYTHON) sw/flow/setup.py

test: setup ## every test, or those below one path: make test T=sim/rtl/axis_fifo (SEED=n, WAVES=1)
	@$(RUN) pytest -n $(JOBS) $(T)

lint: setup ## every checker: Verilator, slang, ruff, mypy, clang-format, the rules of the tree
	@$(RUN) flow.lint

p4: setup ## hardware of a P4 program, into build/p4: make p4 P=hw/p4/ecmp.p4
	@.venv/bin/p4sume compile $(or $(P),$(error P=program.p4 is missing)) --out build/p4/$(basename $(notdir $(P)))

bench: setup ## what a whole switch carries, with ecmp.p4 or P=: every size, mixes, overload; E= another case; into build/bench
	@$(RUN) switch.switch_bench $(if $(P),--program $(P)) $(if $(E),--case $(E))

synth: setup ## cost and logic depth of a module: make synth M=token_core G="CYCLES_PER_KEY=4"
	@$(RUN) flow.synth $(or $(M),$(error M=module is missing)) "$(G)" $(if $(ALL),--all-bounds)

prove: setup ## the formal proofs, or those of one module: make prove M=axis_fifo
	@$(RUN) flow.prove $(M)

mutants: setup ## break a module place by place, see its test fail: make mutants M=axis_fifo (SAMPLE=20 SEED=n)
	@$(RUN) flow.mutants $(or $(M),$(error M=module is missing)) $(if $(SAMPLE),--sample $(SAMPLE))

coverage: setup ## lines of the compiler that its tests and the packet cases reach, at least 95 of 100
	@$(RUN) coverage run -m pytest -q -n 0 sw/p4sume sim/p4/test_cases.py sim/p4/test_case_completeness.py
	@$(RUN) coverage report

soak: setup ## long runs with new seeds: make soak W=modules N=rounds, W=programs N=programs, W=packets N=packets, W=switch N=frames, W=damage N=minutes, W=fabric N=rounds, W=hula N=seeds
	@$(RUN) flow.soak $(W) $(if $(N),-n $(N))

docs: setup ## the pages of docs/ and every README as HTML, with a page of all modules, in build/docs
	@$(RUN) flow.docs

clean: ## removes build/ but for what was downloaded or compiled once (build/cache)
	@find build -mindepth 1 -maxdepth 1 ! -name cache -exec rm -rf {} + 2>/dev/null || true

lock: ## renews requirements.lock from pyproject.toml, with hashes
	@$(PYTHON) sw/flow/setup.py --lock
