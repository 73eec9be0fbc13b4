# SPDX-License-Identifier: Apache-2.0

# Flags for everything that builds: with all traits on, nothing is left out.
SWIFT_FLAGS := --enable-all-traits --explicit-target-dependency-import-check error

# What swift-format reads; folders that come later are taken in when they are there.
SWIFT_SOURCES := Package.swift $(wildcard Sources Tests Plugins Snippets Examples Benchmarks \
	Tools/Mutator Tools/Sizes Tools/SwiftUIShim)

# Builds that differ in every file get a folder of their own, so that they never undo another's.
# Preconditions say why they stop the program only in this configuration, and tests read it.
TORTURE_FLAGS := $(SWIFT_FLAGS) --scratch-path .build/torture -c release -Xswiftc -enable-testing \
  -Xswiftc -assert-config -Xswiftc Debug
THREADS_FLAGS := $(SWIFT_FLAGS) --scratch-path .build/threads --sanitize=thread \
	-Xswiftc -DMAINSTAY_TSAN

# How many tests run at once. All at once hold more than two thousand open files, and from about
# 1,350 on Foundation's `Process` reads past the end of the list of them, which may crash.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH ?= 16

# SwiftPM writes the traits into each command in the order of a set, another in each process; with
# other commands everything would be compiled anew. What is built runs without it.
export SWIFT_DETERMINISTIC_HASHING := 1

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help setup setup-tests build test run demo check format lint docs api api-check \
	breaking check-views check-benchmarks spelling notices sizes requirements rules reference pictures \
	consumers diagrams peers peers-clusters check-payloads check-sarif torture check-threads mutate \
	bench bench-http bench-outbox bench-postgres bench-audit bench-link audit clean

##@ Begin here

help: ## Lists the targets
	@awk -F ':.*## ' '/^##@ / { print "\n" substr($$0, 5) } \
		/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## Installs what is missing for `make run`, or says what to install
	@Tools/setup

# STORE=postgres starts two of the app, on a database of their own: make run STORE=postgres.
run: setup ## Sets up what is missing, builds, and starts the example app; STORE=postgres
	@if [[ "$(STORE)" == postgres ]]; then Tools/setup postgres; fi
	@STORE="$(STORE)" Tools/run $(SWIFT_FLAGS)

demo: setup ## Runs the example app under faults and kills, and proves that nothing is lost
	@Tools/demo $(SWIFT_FLAGS)

test: build ## Sets up what is missing, builds, and runs every test, or those of FILTER=RetryTests
	@Tools/test $(SWIFT_FLAGS)

check: ## What CI runs: every check, with the seconds of each; CI allows it two hours
	@Tools/check

##@ Build and test

build: setup-tests ## Builds libraries and tests; a warning is an error
	swift build $(SWIFT_FLAGS) --build-tests

setup-tests: ## Installs what tests need besides, such as a browser
	@Tools/setup tests

check-views: setup ## Compiles the SwiftUI views and example against declarations of SwiftUI
	@Tools/check-views $(SWIFT_FLAGS)

check-benchmarks: setup ## Compiles the benchmarks against the modules that `make build` has built
	@Tools/check-benchmarks $(SWIFT_FLAGS)

# CONSUMERS=cold compiles all that the guide for services needs, which takes minutes.
consumers: setup ## Builds packages that depend on this one, and those of the guides; CONSUMERS=cold
	@Tools/setup postgres
	@Tools/check-consumers $(CONSUMERS)

check-threads: setup-tests ## Runs the tests under the thread sanitizer
	swift build $(THREADS_FLAGS) --build-tests
	@TSAN_OPTIONS="suppressions=$(CURDIR)/Tools/thread-sanitizer.supp" Tools/test $(THREADS_FLAGS)

torture: setup-tests ## Runs the tests with full doses, in a release build
	swift build $(TORTURE_FLAGS) --build-tests
	time env -u SWIFT_DETERMINISTIC_HASHING MAINSTAY_DOSE=torture \
		swift test $(TORTURE_FLAGS) --skip-build

# MUTATE may name files, or give options: make mutate MUTATE='Backoff --list'.
mutate: ## Changes the state machines in small ways; 95 of 100 are noticed; MUTATE='Backoff --list'
	swift test --package-path Tools/Mutator --scratch-path .build/mutator
	swift run --package-path Tools/Mutator --scratch-path .build/mutator --skip-build mutate $(MUTATE)

clean: ## Deletes everything that was built
	rm -rf .build

##@ Form and words

format: ## Rewrites the Swift files in the project's format
	swift format --in-place --parallel --recursive $(SWIFT_SOURCES)

lint: ## Checks format and documentation comments, strictly
	swift format lint --strict --parallel --recursive $(SWIFT_SOURCES)

spelling: setup-tests ## Looks for misspelt words in all that people wrote
	@Tools/spelling

audit: setup ## Checks how the package itself handles errors, by all its strict rules
	@Tools/audit $(SWIFT_FLAGS)

##@ Public surface and documentation

docs: setup ## Builds the documentation of every library; a warning is an error
	@Tools/docs $(SWIFT_FLAGS)
	@Tools/front-page
	@Tools/check-site

api: setup ## Rewrites API/, the public surface of each library
	@Tools/api write $(SWIFT_FLAGS)

api-check: setup ## Compares API/ with the public surface
	@Tools/api check $(SWIFT_FLAGS)

# FROM is a tag or another name of a commit; what is compared is built for it once.
breaking: setup ## Compares the public surface with that of a version: FROM=v0.1.0
	@[[ -n "$(FROM)" ]] || { echo "Say with what to compare: make breaking FROM=v0.1.0"; exit 2; }
	MAINSTAY_ALL_TRAITS=1 swift package --enable-all-traits \
		diagnose-api-breaking-changes $(FROM)

##@ Pages and pictures that are made

requirements: build ## Rewrites Requirements.md, Strategy.md and the counts of tests in Peers.md
	MAINSTAY_WRITE_REQUIREMENTS=1 swift test $(SWIFT_FLAGS) --skip-build \
		--filter 'RepositoryTests.RequirementsTests|StrategyTests'

rules: build ## Rewrites the pages about the rules of the audit
	MAINSTAY_WRITE_RULES=1 swift test $(SWIFT_FLAGS) --skip-build --filter RulePageTests

reference: build ## Rewrites the pages about families of errors and about the command line
	MAINSTAY_WRITE_REFERENCE=1 swift test $(SWIFT_FLAGS) --skip-build \
		--filter 'FamilyPageTests|ManualTests'

# They differ a little from machine to machine, so tests never compare them.
pictures: build ## Makes the pictures of the example anew that the documentation shows
	MAINSTAY_WRITE_PICTURES=1 swift test $(SWIFT_FLAGS) --skip-build \
		--filter 'GalleryTests.*documentation shows|LookTests.*light or dark'

diagrams: ## Draws the pictures of the documentation from Documentation/Diagrams
	@Tools/diagrams

notices: setup ## Rewrites Documentation/Notices.md, the licences of all dependencies
	@Tools/notices

sizes: setup ## Measures what each library adds to a program, and writes Documentation/Sizes.md
	@Tools/Sizes/run

##@ Other libraries and formats

peers: setup ## Runs the traps' scenarios against other libraries, and writes the table
	@Tools/Peers/run

peers-clusters: setup ## Sorts one log with Mainstay and Drain3, and prints quality and speed
	@Tools/Peers/clusters

check-payloads: ## Asks OpenTelemetry's and Sentry's own decoders what reports mean
	@Tools/Payloads/run

check-sarif: setup ## Asks other libraries what a report of the audit in SARIF says
	@Tools/SARIF/run $(SWIFT_FLAGS)

##@ Measure

# BENCH may name scenarios, or give options: make bench BENCH='breaker --rounds 3'.
bench: ## Measures what the policies cost, as ratios to raw limits; BENCH='breaker --rounds 3'
	swift run -c release --package-path Benchmarks --scratch-path .build/bench bench $(BENCH)

# BENCH may give options: make bench-http BENCH='--rounds 3'.
bench-http: ## Measures a client over HTTP beside the library below it; BENCH='--rounds 3'
	swift run -c release --package-path Benchmarks --scratch-path .build/bench bench-http $(BENCH)

# BENCH may give options: make bench-outbox BENCH='--large --folder /var/tmp'.
bench-outbox: setup ## Measures an outbox beside SQLite itself and queues of others; BENCH='--large'
	@Tools/Peers/queues $(BENCH)

# BENCH may give options: make bench-postgres BENCH='--rounds 9 --held 0'.
bench-postgres: setup ## The same on PostgreSQL, beside the server itself; BENCH='--rounds 9'
	@Tools/setup postgres
	@Tools/Peers/postgres $(BENCH)

# BENCH may give options: make bench-audit BENCH='--rounds 5 --folder Sources'.
bench-audit: setup ## Measures the audit beside a bare parse and others; BENCH='--rounds 5'
	@Tools/Peers/audit $(BENCH)

bench-link: build ## Measures how soon a change of the network is known; on Linux
	@Tools/bench-link $(SWIFT_FLAGS)
