# sandboxd: make run to see it work, make test for every test, make bench for the figures.
GO      ?= go
BIN     := bin/sandboxd
PEERS   := bench/peers/node_modules/.package-lock.json
MCP_PEERS := server/mcp/testdata/peers/node_modules/.package-lock.json
ISOLATED := bench/peers/node_modules/isolated-vm/out/isolated_vm.node
DEMO    ?= .sandboxd
ENGINES := bin/engines/.complete

export CGO_ENABLED = 0

.PHONY: build engines programs run test lint bench generate crash soak fuzz clean

build: $(BIN) engines ## bin/sandboxd, with everything that it needs

# Go decides what is to be rebuilt.
.PHONY: $(BIN)
$(BIN):
	$(GO) build -trimpath -ldflags "-s -w" -o $@ ./cmd/sandboxd

engines: $(ENGINES) ## PDFium, libvips and fonts beside the binary

# As the lock file has them: npm checks the hashes.
$(ENGINES): engine/npm/package.json engine/npm/package-lock.json
	cd engine/npm && npm ci --ignore-scripts --no-audit --no-fund
	rm -rf bin/engines && mkdir -p bin/engines/fonts
	cp engine/npm/node_modules/@embedpdf/pdfium/dist/pdfium.wasm bin/engines/
	cp engine/npm/node_modules/@img/sharp-libvips-*/lib/libvips-cpp.* bin/engines/
	cp engine/npm/node_modules/dejavu-fonts-ttf/ttf/DejaVuSans.ttf engine/npm/node_modules/dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf \
		engine/npm/node_modules/dejavu-fonts-ttf/ttf/DejaVuSansMono.ttf \
		engine/npm/node_modules/@expo-google-fonts/*/400*/*.ttf engine/npm/node_modules/@expo-google-fonts/noto-sans/700*/*.ttf \
		bin/engines/fonts/
	touch $@

run: build ## serve on loopback, run an example on a real file, and stay up
	$(BIN) serve --data $(DEMO) --demo

# Programs of others that tests compare with. Where they cannot be installed, those tests
# skip and say so.
PROGRAMS := soffice:libreoffice-calc-nogui qpdf:qpdf pdftoppm:poppler-utils
programs:
	@missing=; for p in $(PROGRAMS); do command -v $${p%%:*} >/dev/null || missing="$$missing $${p##*:}"; done; \
	if [ -z "$$missing" ]; then exit 0; fi; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		apt-get update -q >/dev/null && DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $$missing >/dev/null; \
	else false; fi || echo "not installed, and not root on Debian:$$missing; the tests that need them skip"

# The packages with goroutines or locks: the race detector, ten times slower, has nothing to
# find in the others.
SHARING = $(shell grep -rlE --include='*.go' --exclude-dir=node_modules '^\s*go |"sync' . | xargs -n1 dirname | sort -u)

# Tests use real processes, clocks and disks, on machines that may be busy: up to three that
# fail are tried once more, alone, and the summary names them, for each is a defect. After a
# data race or a panic nothing is tried again.
RUN_TESTS = $(GO) tool -modfile=scripts/tools.mod gotestsum --format standard-quiet \
	--rerun-fails=1 --rerun-fails-max-failures=3 --rerun-fails-abort-on-data-race

test: lint programs $(PEERS) $(MCP_PEERS) build ## every test, and those that share memory again under the race detector
	$(RUN_TESTS) --packages=./... -- -timeout 40m
	CGO_ENABLED=1 SANDBOXD_PLAIN_WORKER=$(CURDIR)/$(BIN) $(RUN_TESTS) --packages="$(SHARING)" -- -race -short -timeout 40m

lint:
	@test -z "$$(gofmt -l $$(git ls-files '*.go' 2>/dev/null || find . -name '*.go'))" || { echo "gofmt would change:"; gofmt -l .; exit 1; }
	$(GO) vet ./...

# The Node libraries that the tests and the benchmarks compare with, as the lock file has
# them. No test needs what their install scripts build; the benchmarks do.
$(PEERS): bench/peers/package.json bench/peers/package-lock.json
	cd bench/peers && npm ci --ignore-scripts --no-audit --no-fund
	@touch $@

# The MCP clients and suites that the MCP server is tested with, and a Node for them.
$(MCP_PEERS): server/mcp/testdata/peers/package.json server/mcp/testdata/peers/package-lock.json
	cd server/mcp/testdata/peers && npm ci --ignore-scripts --no-audit --no-fund
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
	rm -rf bin .cache $(DEMO) bench/peers/node_modules engine/npm/node_modules server/mcp/testdata/peers/node_modules
