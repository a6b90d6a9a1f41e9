# sandboxd: make run to see it work, make test for every test, make bench for the figures.
GO      ?= go
BIN     := bin/sandboxd
PEERS   := bench/peers/node_modules/.package-lock.json
ISOLATED := bench/peers/node_modules/isolated-vm/out/isolated_vm.node
DEMO    ?= .sandboxd

export CGO_ENABLED = 0

.PHONY: build run test lint bench generate crash soak fuzz clean

build: $(BIN) ## bin/sandboxd, with everything that it needs

# Go decides what is to be rebuilt.
.PHONY: $(BIN)
$(BIN):
	$(GO) build -trimpath -ldflags "-s -w" -o $@ ./cmd/sandboxd

run: build ## serve on loopback, run an example on a real file, and stay up
	$(BIN) serve --data $(DEMO) --demo

test: lint $(PEERS) ## every test, and those that share memory again under the race detector
	$(GO) test -timeout 20m ./...
	CGO_ENABLED=1 $(GO) test -race -short -timeout 20m ./...

lint:
	@test -z "$$(gofmt -l $$(git ls-files '*.go' 2>/dev/null || find . -name '*.go'))" || { echo "gofmt would change:"; gofmt -l .; exit 1; }
	$(GO) vet ./...

# The Node libraries that the tests and the benchmarks compare with, as the lock file has
# them. No test needs what their install scripts build; the benchmarks do.
$(PEERS): bench/peers/package.json bench/peers/package-lock.json
	cd bench/peers && npm ci --ignore-scripts --no-audit --no-fund
	@touch $@

$(ISOLATED): $(PEERS)
	cd bench/peers && npm rebuild isolated-vm
	@touch $@

bench: build $(PEERS) $(ISOLATED) ## side by side with the Node libraries; writes docs/benchmarks.md
	$(GO) run ./bench -o docs/benchmarks.md

generate: ## the reference pages that derive from the operation and error tables
	$(GO) test ./docs -update

crash: ## thousands of kill -9 at the named points of a commit
	SANDBOXD_CRASH_CYCLES=2000 $(GO) test -count=1 -timeout 60m -run Crash ./workspace/... .

soak: ## a hundred runs at once, good and hostile, for a minute
	SANDBOXD_SOAK=1m $(GO) test -count=1 -timeout 10m -run Soak ./...

fuzz: ## each fuzz target for a while
	./scripts/fuzz.sh

clean:
	rm -rf bin $(DEMO) bench/peers/node_modules
