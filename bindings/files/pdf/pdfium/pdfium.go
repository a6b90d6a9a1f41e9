// Package pdfium is a thin binding of PDFium, the PDF library of Chrome, compiled to
// WebAssembly (npm @embedpdf/pdfium) and run by wazero.
//
// A Library is PDFium compiled; it is made once in a process. A Document is a file opened
// in a WebAssembly instance of its own, so that nothing of a document outlives it and a
// hostile one harms none but itself. What the binding covers: documents and their
// metadata, text with boxes and search, rendering, forms, embedded images, paths,
// outlines, annotations, and pages imported, added, moved and removed, with saving.
//
// PDFium sees no clock, no randomness and no file system but a folder of fonts. After
// Load, opening documents opens no file and makes no memory executable.
//
// calls.txt lists the functions that are called; calls_gen.go is generated from it and
// carries their C names. Below it: module.go (an instance, memory, traps), system.go (what
// PDFium asks of its system), fonts.go. Above it: document.go and a file for each subject.
//
// Imports engine and wazero. Start reading at Engine, then Library.Open.
package pdfium

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/emscripten"

	"github.com/sandboxd/sandboxd/engine"
)

//go:generate go run ./gencalls

// Name is the engine's, for engine.Of[*Library].
const Name = "pdfium"

// Engine describes PDFium.
func Engine() engine.Engine {
	return engine.Engine{
		Name:  Name,
		Title: "PDFium",
		Load: func(at engine.Places) (any, error) {
			return Load(at)
		},
		Warm: func(at engine.Places) error {
			l, err := Load(at)
			if err != nil {
				return err
			}
			return l.close()
		},
		Version: func(loaded any) string { return loaded.(*Library).Version() },
		Get:     "Ask the operator to run make engines, which fetches pdfium.wasm (npm @embedpdf/pdfium), and to start sandboxd again.",
	}
}

// memoryPages bounds the memory of one document: 256 MB in pages of 64 KB.
const memoryPages = 4096

// Library is PDFium, compiled. It is safe for concurrent use.
type Library struct {
	runtime  wazero.Runtime
	compiled wazero.CompiledModule
	fonts    *fonts
	patience time.Duration
	sum      [sha256.Size]byte
	work     chan struct{} // one for each document that is being worked on

	open      atomic.Int64 // instances that documents have
	spare     chan *module
	preparing atomic.Bool
}

// Load reads and compiles PDFium. With what Warm has left in the cache this takes a tenth
// of a second, without it two.
func Load(at engine.Places) (*Library, error) { return load(at, 0) }

// load is Load with a limit on the time of a document, for fuzzing, which has no process
// to kill. 0 is none.
func load(at engine.Places, patience time.Duration) (*Library, error) {
	if at.PDFium == "" {
		return nil, engine.ErrMissing
	}
	code, err := os.ReadFile(at.PDFium)
	if errors.Is(err, os.ErrNotExist) {
		return nil, engine.ErrMissing
	}
	if err != nil {
		return nil, err
	}
	ctx := context.Background()
	// Closing on a context's end would make all code three times slower; a deadline kills
	// the process.
	config := wazero.NewRuntimeConfigCompiler().WithMemoryLimitPages(memoryPages).WithCloseOnContextDone(patience > 0)
	if at.Cache != "" {
		if cache, err := wazero.NewCompilationCacheWithDir(at.Cache); err == nil {
			config = config.WithCompilationCache(cache)
		}
	}
	l := &Library{runtime: wazero.NewRuntimeWithConfig(ctx, config), fonts: openFonts(at.Fonts), patience: patience, spare: make(chan *module, 1),
		sum: sha256.Sum256(code), work: make(chan struct{}, max(2, runtime.GOMAXPROCS(0)))}
	if err := l.compile(ctx, code); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", filepath.Base(at.PDFium), err), l.close())
	}
	return l, nil
}

func (l *Library) compile(ctx context.Context, code []byte) error {
	var err error
	if l.compiled, err = l.runtime.CompileModule(ctx, code); err != nil {
		return err
	}
	if err := checkExports(l.compiled.ExportedFunctions()); err != nil {
		return err
	}
	exporter, err := emscripten.NewFunctionExporterForModule(l.compiled)
	if err != nil {
		return err
	}
	env := l.runtime.NewHostModuleBuilder("env")
	exporter.ExportFunctions(env) // invoke_* and _emscripten_throw_longjmp
	wasi := l.runtime.NewHostModuleBuilder("wasi_snapshot_preview1")
	for _, f := range l.compiled.ImportedFunctions() {
		module, name, _ := f.Import()
		builder := env
		switch {
		case module == "wasi_snapshot_preview1":
			builder = wasi
		case strings.HasPrefix(name, "invoke_"), name == "_emscripten_throw_longjmp", name == "emscripten_notify_memory_growth":
			continue
		}
		builder.NewFunctionBuilder().
			WithGoModuleFunction(systemCall(name, len(f.ResultTypes()) > 0), f.ParamTypes(), f.ResultTypes()).
			Export(name)
	}
	if _, err := wasi.Instantiate(ctx); err != nil {
		return err
	}
	_, err = env.Instantiate(ctx)
	return err
}

// checkExports compares calls.txt with the module.
func checkExports(exports map[string]api.FunctionDefinition) error {
	letters := map[api.ValueType]byte{api.ValueTypeI32: 'i', api.ValueTypeF32: 'f', api.ValueTypeF64: 'd', api.ValueTypeI64: 'l'}
	text := func(types []api.ValueType) string {
		var b strings.Builder
		for _, t := range types {
			b.WriteByte(letters[t])
		}
		return b.String()
	}
	for _, p := range prototypes {
		f, ok := exports[p.name]
		if !ok {
			return fmt.Errorf("it has no %s", p.name)
		}
		params, results := text(f.ParamTypes()), text(f.ResultTypes())
		if params != p.params || p.result != "" && results != p.result {
			return fmt.Errorf("its %s takes %q and answers %q, want %q and %q", p.name, params, results, p.params, p.result)
		}
	}
	return nil
}

// Version tells which build this is: PDFium does not say itself.
func (l *Library) Version() string { return fmt.Sprintf("PDFium %x", l.sum[:4]) }

// Instances is how many documents are open.
func (l *Library) Instances() int { return int(l.open.Load()) }

// Enter waits until there is room for work on another document: each may take much
// memory, and no more of them run than there are processors. Who is in must not enter
// again. The error is ctx's.
func (l *Library) Enter(ctx context.Context) (leave func(), err error) {
	select {
	case l.work <- struct{}{}:
		return func() { <-l.work }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// EnterNow is Enter if there is room at once; leave is nil if there is none.
func (l *Library) EnterNow() (leave func()) {
	select {
	case l.work <- struct{}{}:
		return func() { <-l.work }
	default:
		return nil
	}
}

func (l *Library) close() error {
	l.fonts.close()
	return l.runtime.Close(context.Background())
}
