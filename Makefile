# Every target sets up what it needs. Go, Node 20 and a shell are enough.

SHELL       := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help run demo build modules test clients test-go test-node test-python release check-release image bench bench-web screenshots bench-crm bench-postgres bench-events bench-tracker bench-ingest bench-environments bench-evaluation bench-against performance race fuzz check fmt clean

ARGS     ?=
PKG      ?= ./...
FUZZTIME ?= 20s

BIN     := $(CURDIR)/bin/understudy
# Built as the program is, so that nothing is compiled twice. On a busy machine a package may take many times as long.
GOTEST  := go test -trimpath -timeout 30m
# Each folder with a package.json under test is a suite of its own: an official client, or a judge of the Go tests.
SUITES  := $(patsubst %/package.json,%,$(wildcard test/sdk/*/package.json)) web test/browser
# Most of their time they wait, so two run at a time. The browser, two files at a time, goes on beside all others; those of
# its files that measure have the machine to themselves.
PAIRED  := $(filter-out test/browser,$(SUITES))
RUN_SUITES := printf '%s\n' 'test/browser shared' $(PAIRED) | xargs -L 1 -P 2 test/suite.sh || status=1; \
	test/suite.sh test/browser alone || status=1
JUDGES  := $(patsubst %/package.json,%,$(wildcard test/*/package.json))
NODE    := $(sort $(addsuffix /node_modules,$(SUITES) $(JUDGES)))
# What the suites saw client programs do, of which docs/clients.md is made; the suites that write there, and the Go tests
# that do, which have to run although they passed before.
SEEN     := .cache/clients
WATCHING := $(sort $(patsubst %/,%,$(dir $(shell grep -l witness test/sdk/*/*.mjs))))
WATCHED  := $(GOTEST) -count=1 -run 'TestSlackGoIsWatched|TestGoClientOfTools' ./test/sdk/go
# The helper for pytest is tested by the first Python that has pytest.
PYTEST   := (echo "== test/pytest"; for python in python3 /usr/bin/python3; do if $$python -c 'import pytest' 2>/dev/null; then \
	PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=clients/python exec $$python -m pytest -q -p understudy_pytest -p pytester -p no:cacheprovider test/pytest; \
	fi; done; echo "skipped: no pytest")
# The built web UI. Without Node the program serves the APIs alone.
PAGES   := web/dist/index.html
NPM     := $(shell command -v npm)
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
COMMIT  := $(shell git rev-parse --short HEAD 2>/dev/null || echo unknown)
# Without the tables of the debugger a third of the program's size is gone; stack traces keep names, files and lines.
LDFLAGS := -s -w -X main.version=$(VERSION) -X main.commit=$(COMMIT)

# What a release is built for, and where it is put. The same commit gives the same bytes, wherever it is built.
RELEASES  := linux-amd64 linux-arm64 darwin-amd64 darwin-arm64 windows-amd64 windows-arm64
DIST      := $(CURDIR)/dist
COMMITTED  = $(shell TZ=UTC git log -1 --date=format-local:%Y-%m-%dT%H:%M:%SZ --format=%cd 2>/dev/null || echo 1970-01-01T00:00:00Z)
exe        = $(DIST)/understudy-$*$(if $(filter windows-%,$*),.exe)

export CGO_ENABLED := 0
# Process tests start this binary instead of building one each.
export UNDERSTUDY_BIN := $(BIN)

help: ## list the targets
	@echo "make <target>   (ARGS=... is passed to the program)"
	@awk -F':.*## ' '/^[a-z-]+:.*## / { printf "  %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: build ## serve on http://127.0.0.1:4400 with the web UI, data in ./understudy-data
	@if [ -f $(PAGES) ]; then export UNDERSTUDY_MODE=$${UNDERSTUDY_MODE:-full}; fi; exec $(BIN) serve $(ARGS)

demo: build ## serve the demo world with the web UI and play ten sessions of a scripted agent that works in all four services
	@node docs/demo/demo.mjs $(BIN) $(ARGS)

build: $(if $(NPM),$(PAGES)) ## build bin/understudy, with the web UI when Node is there
	@if [ -z "$(NPM)" ]; then echo "npm was not found: the program is built without the web UI"; fi
	@go build -trimpath -ldflags '$(LDFLAGS)' -o $(BIN) ./cmd/understudy

release: $(addprefix release-,$(RELEASES)) $(addprefix parts-,$(RELEASES)) ## build dist/: a program for each system, what each is made of (CycloneDX), checksums
	@cd $(DIST) && { command -v sha256sum >/dev/null && sha256sum understudy-* || shasum -a 256 understudy-*; } > SHA256SUMS && cat SHA256SUMS

release-%: $(PAGES)
	@mkdir -p $(DIST)
	@GOOS=$(word 1,$(subst -, ,$*)) GOARCH=$(word 2,$(subst -, ,$*)) go build -trimpath -buildvcs=false -ldflags '$(LDFLAGS)' -o $(exe) ./cmd/understudy

# When it was written, and the sums of the program that wrote it, are no matter of the release: they differ between machines.
parts-%: release-%
	@cd tools/sbom && GOFLAGS=-trimpath go tool cyclonedx-gomod bin -json -noserial -std -version $(VERSION) $(exe) \
	  | sed -e 's/"timestamp": "[^"]*"/"timestamp": "$(COMMITTED)"/' -e '/"tools": \[/,/^    \]/{/"hashes": \[/,/\],/d;}' > $(exe).cdx.json

check-release: build ## build the release from two clones, one with an empty module cache, and compare every file (ten minutes or more)
	@nice test/release.sh $(ARGS)

image: ## build the container image understudy:VERSION, also called understudy:dev, with docker
	@docker build --build-arg VERSION=$(VERSION) --build-arg COMMIT=$(COMMIT) -t understudy:$(VERSION) -t understudy:dev .

test: ## every test: Go packages, wire conversations, official clients
	@$(MAKE) --no-print-directory -j 4 build $(NODE)
	@rm -rf $(SEEN); status=0; \
	$(GOTEST) $(GOTESTFLAGS) $(PKG) || status=1; \
	$(RUN_SUITES); \
	$(PYTEST) || status=1; \
	if [ $$status = 0 ]; then echo "== docs/clients.md"; $(WATCHED) && node test/sdk/clients.mjs --check || status=1; fi; \
	exit $$status

clients: build modules ## run the client programs that docs/clients.md lists and write the page anew
	@rm -rf $(SEEN); for suite in $(WATCHING); do echo "== $$suite"; (cd $$suite && npm test --silent) || exit 1; done
	@$(WATCHED) && node test/sdk/clients.mjs

test-go: build ## the Go tests alone (PKG=./internal/... narrows them)
	@$(GOTEST) $(GOTESTFLAGS) $(PKG)

test-node: build modules ## the official Node clients alone
	@status=0; $(RUN_SUITES); exit $$status

test-python: build ## the helper for pytest, where pytest is installed
	@$(PYTEST)

bench: build ## measure messaging against a bare net/http server, then deliveries, the tracker, ingestion, environments and the CRM; write docs/performance.md
	@go run ./test/load -bin $(BIN) -out docs/performance/messaging.md $(ARGS)
	@$(MAKE) --no-print-directory bench-events bench-tracker ARGS=
	@$(MAKE) --no-print-directory bench-ingest ARGS=
	@$(MAKE) --no-print-directory bench-environments bench-crm bench-postgres ARGS=
	@$(MAKE) --no-print-directory performance

# COMPOSE puts the tables of all benches together, under a summary with their figures.
COMPOSE := go run ./test/load/about

performance: ## write docs/performance.md from the tables in docs/performance
	@$(COMPOSE)

bench-against: test/load/tracker/peer/node_modules ## measure this commit and an earlier one in turn: make bench-against BASE=5336583 (LOADS="messaging crm" ROUNDS=1 PAGE=docs/decisions/0033-bench-before-and-after.md)
	@test/load/against.sh $(BASE) $(LOADS)

bench-crm: build ## measure the CRM at a million contacts on SQLite and PostgreSQL, write docs/performance/crm.md
	@go run ./test/load/crm -bin $(BIN) $(ARGS)
	@$(COMPOSE)

bench-postgres: build ## measure writes on PostgreSQL beside SQLite, write docs/performance/postgres.md
	@go run ./test/load/postgres -bin $(BIN) $(ARGS)
	@$(COMPOSE)

bench-events: build ## measure deliveries: a stream to a fast receiver, posts beside a hanging and a dead one
	@{ printf '# Deliveries\n\nWritten by `make bench-events` on %s: %s cores (%s), on SQLite, then on PostgreSQL, receivers on the same machine. `control` has no receiver\neither: what it differs by from `nobody` is what this measurement cannot see. `bare` is a server that only flushes as many bytes and sends the\nsame event, compared with itself without a receiver. Goal: at most +15 %% with a fast receiver, on SQLite.\n\n```\n' \
	  "$$(date +%F)" "$$(nproc)" "$$(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -1)"; for run in 1 2 3; do go run ./test/load/events -bin $(BIN) 2>&1; done; echo '```'; } > docs/performance/events.md
	@cat docs/performance/events.md
	@$(COMPOSE)

bench-tracker: build test/load/tracker/peer/node_modules ## measure the tracker at 1,000 and 500,000 issues beside graphql-js, write docs/performance/tracker.md
	@go run ./test/load/tracker -bin $(BIN) $(ARGS)
	@$(COMPOSE)

bench-ingest: build test/load/ingest/peer/node_modules ## measure ingestion on SQLite and PostgreSQL beside DuckDB, write docs/performance/ingest.md
	@go run ./test/load/ingest -bin $(BIN) $(ARGS)
	@$(COMPOSE)

bench-environments: build ## measure the life cycle of environments and 10,000 of them, write docs/performance/environments.md
	@go run ./test/load/environments -bin $(BIN) -out docs/performance/environments.md $(ARGS)
	@$(COMPOSE)

bench-evaluation: build ## measure forks, diffs and many forks at once as ratios, write docs/performance/evaluation.md
	@go run ./test/load/evaluation -bin $(BIN) -out docs/performance/evaluation.md $(ARGS)
	@$(COMPOSE)

bench-web: build test/browser/node_modules ## measure the web UI's budgets at a million messages, write docs/performance/web.md
	@cd test/browser && node bench.mjs
	@$(COMPOSE)

screenshots: build test/browser/node_modules ## take pictures of every screen into .cache/screenshots, six of them into docs/images
	@cd test/browser && node screenshots.mjs $(ARGS)

bench-hostile: build ## run the hostile requests beside an ordinary client, write docs/performance/hostile.md
	@HOSTILE_REPORT=$(CURDIR)/docs/performance/hostile.md go test ./test/e2e/hostile -run OneRequest -count=1 -v
	@$(COMPOSE)

race: build ## run the Go tests with the race detector, a package at a time: an hour or more; needs a C compiler
	@CGO_ENABLED=1 go test -race -gcflags=all=-d=checkptr=0 -vet=off -p 1 -timeout 60m $(PKG)

fuzz: ## run every fuzz test for FUZZTIME (20s)
	@set -e; grep -rl --include='*_test.go' '^func Fuzz' internal | xargs -r -n1 dirname | sort -u | while read -r dir; do \
	  for name in $$(grep -ho '^func Fuzz[A-Za-z0-9_]*' $$dir/*_test.go | cut -d' ' -f2); do \
	    echo "== $$dir $$name"; go test -run '^$$' -fuzz "^$$name\$$" -fuzztime $(FUZZTIME) ./$$dir; \
	  done; \
	done

check: ## formatting, vet, staticcheck, architecture rules, known vulnerabilities, golangci-lint when installed
	@bad=$$(gofmt -l cmd internal test); if [ -n "$$bad" ]; then echo "not formatted, run make fmt:"; echo "$$bad"; exit 1; fi
	go vet ./...
	go tool staticcheck ./...
	go test ./internal/archtest
	@if out=$$(go tool govulncheck ./... 2>&1); then echo "govulncheck: no known vulnerability is reached"; \
	elif grep -qE 'fetching vulnerabilities|vuln\.go\.dev|dial tcp|no such host|connection refused|403 Forbidden' <<<"$$out"; then \
	  echo "govulncheck: skipped, the vulnerability database cannot be reached"; \
	else echo "$$out"; exit 1; fi
	@if command -v golangci-lint >/dev/null; then golangci-lint run; else echo "golangci-lint is not installed: skipped"; fi

fmt: ## format the Go code
	@gofmt -w cmd internal test

clean: ## remove what was built (not the data folder)
	@rm -rf bin $(DIST) $(NODE) web/dist/assets $(PAGES)

$(PAGES): web/node_modules web/index.html web/vite.config.ts $(shell find web/src web/public web/scripts internal/messaging/emoji/table.txt -type f ! -name table.json)
	@cd web && npm run build --silent
	@touch $@

modules: # what the suites need, several at a time
	@$(MAKE) --no-print-directory -j 4 $(NODE)

%/node_modules: %/package.json %/package-lock.json
	@command -v npm >/dev/null || { echo "Node 20 with npm is needed for the tests of the official clients"; exit 1; }
	@cd $* && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@
