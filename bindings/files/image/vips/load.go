//go:build !nolibvips && (linux || darwin) && (amd64 || arm64)

package vips

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/ebitengine/purego"

	"github.com/sandboxd/sandboxd/engine"
)

// Vips is libvips, loaded. There is one in a process.
type Vips struct {
	calls
	name    string
	loaders map[string]bool // operations that this build has, by name
}

// Engine describes libvips for a set of engines; Of gives it as *Vips.
func Engine() engine.Engine {
	return engine.Engine{
		Name: Name, Title: "libvips", Get: get,
		Load: func(at engine.Places) (any, error) {
			if at.Libvips == "" {
				return nil, engine.ErrMissing
			}
			return Load(at.Libvips)
		},
		Version: func(loaded any) string { return loaded.(*Vips).name },
	}
}

// Environment variables of libvips and glib, set before they start.
var environment = [][2]string{
	{"VIPS_WARNING", "0"},            // set at all, it silences warnings
	{"G_MESSAGES_DEBUG", ""},         // no debug output
	{"VIPS_DISC_THRESHOLD", "1000g"}, // never decompress into a temporary file
	{"G_SLICE", "always-malloc"},     // memory goes back when it is freed
}

const (
	stackSize = 1 << 20 // of libvips' threads; the default is the shell's 8 MB
	mArenaMax = -8      // M_ARENA_MAX of glibc's mallopt
)

// Load loads the library and readies it for untrusted files. Afterwards it opens nothing and
// makes no memory executable.
func Load(path string) (*Vips, error) {
	lib, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return nil, fmt.Errorf("loading %s: %w", path, err)
	}
	v := &Vips{loaders: map[string]bool{}}
	if err := v.bind(lib); err != nil {
		return nil, fmt.Errorf("binding %s: %w", path, err)
	}
	for _, e := range environment {
		v.setenv(e[0], e[1], 1)
	}
	if _, err := purego.Dlsym(lib, "orc_init"); err == nil {
		// A build with orc makes code at run time. Those with highway, which bring theirs, must
		// not be told so: it would halve their speed.
		v.setenv("VIPS_NOVECTOR", "1", 1)
	}
	if runtime.GOOS == "linux" {
		limitThreads(lib)
	}
	if v.init("sandboxd") != 0 {
		return nil, fmt.Errorf("starting libvips: %w", v.failure())
	}
	if major, minor := v.version(0), v.version(1); major != 8 || minor < 15 {
		return nil, fmt.Errorf("libvips is %d.%d; 8.15 or a newer 8 is needed", major, minor)
	}
	if runtime.GOOS == "linux" {
		limitThreads(lib) // libvips has set its own stack size
	}
	// Logging must not write anywhere: a function without arguments is a handler that does
	// nothing, and needs no callback into Go.
	if silent, err := purego.Dlsym(lib, "vips_concurrency_get"); err == nil {
		v.logHandler(silent, 0)
	}
	v.block()
	v.cacheMax(0)
	v.cacheMaxMem(0)
	v.cacheMaxFiles(0)
	v.setConcurrency(1)
	v.name = fmt.Sprintf("libvips %d.%d.%d", v.version(0), v.version(1), v.version(2))
	for _, op := range []string{"jpegload_source", "pngload_source", "webpload_source", "gifload_source", "tiffload_source", "heifload_source",
		"jpegsave_buffer", "pngsave_buffer", "webpsave_buffer", "gifsave_buffer", "tiffsave_buffer", "heifsave_buffer"} {
		if o := v.operationNew(op); o != 0 {
			v.loaders[op] = true
			v.unref(o)
		}
		v.errorClear()
	}
	if !v.loaders["jpegload_source"] || !v.loaders["pngload_source"] {
		return nil, errors.New("this libvips reads neither JPEG nor PNG")
	}
	return v, nil
}

// block leaves only the loaders and savers that are needed.
func (v *Vips) block() {
	v.blockUntrusted(1)
	v.blockSet("VipsForeignLoad", 1)
	v.blockSet("VipsForeignSave", 1)
	for _, class := range []string{"LoadJpeg", "LoadPng", "LoadWebp", "LoadNsgif", "LoadTiff", "LoadHeif",
		"SaveJpeg", "SavePng", "SaveWebp", "SaveCgif", "SaveTiff", "SaveHeif"} {
		v.blockSet("VipsForeign"+class, 0)
	}
}

// limitThreads keeps what threads reserve small: a worker's address space counts against its
// limit. It does what this C library can.
func limitThreads(lib uintptr) {
	var mallopt func(param, value int32) int32
	if f, err := purego.Dlsym(lib, "mallopt"); err == nil {
		purego.RegisterFunc(&mallopt, f)
		mallopt(mArenaMax, 2)
	}
	var attr [64]byte // of pthread_attr_t, which has 56
	var initAttr func(*[64]byte) int32
	var setSize func(*[64]byte, uintptr) int32
	var setDefault func(*[64]byte) int32
	for name, fn := range map[string]any{"pthread_attr_init": &initAttr, "pthread_attr_setstacksize": &setSize, "pthread_setattr_default_np": &setDefault} {
		f, err := purego.Dlsym(lib, name)
		if err != nil {
			return
		}
		purego.RegisterFunc(fn, f)
	}
	if initAttr(&attr) == 0 && setSize(&attr, stackSize) == 0 {
		setDefault(&attr)
	}
}
