package engine

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
)

// Places are where the engines' files lie on this machine. An empty field means that the
// engine is not there.
type Places struct {
	PDFium  string   `json:"pdfium,omitempty"`  // pdfium.wasm
	Libvips string   `json:"libvips,omitempty"` // the shared library: a path, or a name that the system's loader knows
	Fonts   []string `json:"fonts,omitempty"`   // folders of font files, the preferred first
	Cache   string   `json:"cache,omitempty"`   // a folder for compiled WebAssembly; a worker only reads it
}

// Environment variables that name places.
const (
	EnvDir     = "SANDBOXD_ENGINES" // a folder as `make engines` makes it
	EnvLibvips = "SANDBOXD_LIBVIPS" // the shared library of libvips; "none" is none
	EnvPDFium  = "SANDBOXD_PDFIUM"  // pdfium.wasm; "none" is none
	EnvCache   = "SANDBOXD_CACHE"   // a folder for compiled WebAssembly
)

// Find looks for engines: what the environment names, then a folder "engines" beside the
// executable, then what is installed on the system.
func Find() Places {
	return FindIn(folders()...)
}

func folders() []string {
	if dir := os.Getenv(EnvDir); dir != "" {
		return []string{dir}
	}
	var dirs []string
	if executable, err := os.Executable(); err == nil {
		if resolved, err := filepath.EvalSymlinks(executable); err == nil {
			executable = resolved
		}
		bin := filepath.Dir(executable)
		dirs = append(dirs, filepath.Join(bin, "engines"), filepath.Join(bin, "..", "lib", "sandboxd", "engines"))
	}
	return append(dirs, "/usr/local/lib/sandboxd/engines", "/usr/lib/sandboxd/engines")
}

// FindIn looks in folders as `make engines` makes them, and then on the system.
func FindIn(folders ...string) Places {
	p := Places{
		PDFium:  named(EnvPDFium, first(folders, "pdfium.wasm")),
		Libvips: named(EnvLibvips, first(append(slices.Clone(folders), libraryFolders()...), libvipsNames()...)),
		Cache:   cache(),
	}
	for _, dir := range folders {
		if fonts := filepath.Join(dir, "fonts"); isDir(fonts) {
			p.Fonts = append(p.Fonts, fonts)
		}
	}
	for _, fonts := range []string{"/usr/share/fonts", "/usr/local/share/fonts", "/Library/Fonts", "/System/Library/Fonts"} {
		if isDir(fonts) {
			p.Fonts = append(p.Fonts, fonts)
		}
	}
	return p
}

// named is what an environment variable says, or otherwise what was found.
func named(env, found string) string {
	switch value := os.Getenv(env); value {
	case "":
		return found
	case "none":
		return ""
	default:
		return value
	}
}

// first finds a file of one of the patterns in one of the folders.
func first(folders []string, patterns ...string) string {
	for _, dir := range folders {
		for _, pattern := range patterns {
			found, _ := filepath.Glob(filepath.Join(dir, pattern))
			if len(found) > 0 {
				path, err := filepath.Abs(found[len(found)-1]) // the newest version
				if err != nil {
					return found[len(found)-1]
				}
				return path
			}
		}
	}
	return ""
}

// libvipsNames are the library's file names: npm's build for sharp, and a system's own.
func libvipsNames() []string {
	if runtime.GOOS == "darwin" {
		return []string{"libvips-cpp.*.dylib", "libvips.42.dylib"}
	}
	return []string{"libvips-cpp.so.*", "libvips.so.42"}
}

func libraryFolders() []string {
	switch {
	case runtime.GOOS == "darwin":
		return []string{"/opt/homebrew/lib", "/usr/local/lib"}
	case runtime.GOARCH == "arm64":
		return []string{"/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib", "/usr/local/lib"}
	}
	return []string{"/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib", "/usr/local/lib"}
}

// cache is a folder of the user's own: what is in it is run as code.
func cache() string {
	if dir := os.Getenv(EnvCache); dir != "" {
		return dir
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "sandboxd", "wazero")
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
