// Package fonts finds the fonts that text is written into PDFs with.
//
// It is an engine: a worker opens the files while it may, and reads of them later what is
// asked for. Only fonts with TrueType outlines that may be embedded are used; a font is
// chosen by its family and style, and for a character by what it covers.
//
// Imports engine and go-text. Start reading at Engine, then Set.
package fonts

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/sandboxd/sandboxd/engine"
)

// Name is the engine's.
const Name = "fonts"

// maxFiles is how many font files are held open.
const maxFiles = 32

// Engine describes the fonts.
func Engine() engine.Engine {
	return engine.Engine{
		Name: Name, Title: "a font",
		Load: func(at engine.Places) (any, error) {
			set := Open(at.Fonts)
			if len(set.files) == 0 {
				return nil, engine.ErrMissing
			}
			return set, nil
		},
		Version: func(loaded any) string {
			return strings.Join(loaded.(*Set).Families(), ", ")
		},
		Get: "Run make engines, which fetches Noto Sans and DejaVu Sans, or install fonts in /usr/share/fonts.",
	}
}

// Set is the fonts of a process. It is safe for concurrent use.
type Set struct {
	files []*os.File
	index func() []*Font
}

// Open opens the font files in folders; of two with the same name the first counts, and
// of a folder with many those with a wide coverage first. It reads nothing of them yet.
func Open(folders []string) *Set {
	s := &Set{}
	seen := map[string]bool{}
	for _, folder := range folders {
		for _, path := range files(folder) {
			if len(s.files) == maxFiles {
				break
			}
			if name := filepath.Base(path); !seen[name] {
				if f := openFile(path); f != nil {
					seen[name] = true
					s.files = append(s.files, f)
				}
			}
		}
	}
	s.index = sync.OnceValue(s.read)
	return s
}

// files lists a folder's font files, the preferred first.
func files(folder string) []string {
	var paths []string
	_ = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return nil // what cannot be read is not there
		}
		switch strings.ToLower(filepath.Ext(path)) {
		case ".ttf", ".ttc":
			paths = append(paths, path)
		}
		if len(paths) == 4096 {
			return fs.SkipAll
		}
		return nil
	})
	slices.SortStableFunc(paths, func(a, b string) int { return rank(a) - rank(b) })
	return paths
}

// preferred are the beginnings of the names of fonts for text, the best first.
var preferred = []string{"notosans_", "notosans-", "notosans[", "dejavusans", "notosans", "nanumgothic", "liberationsans", "arial", "liberation", "dejavu", "noto"}

func rank(path string) int {
	name := strings.ToLower(filepath.Base(path))
	for i, start := range preferred {
		if strings.HasPrefix(name, start) {
			return i
		}
	}
	return len(preferred)
}

func openFile(path string) *os.File {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		f.Close()
		return nil
	}
	return f
}

// Families lists the names of the families, the preferred first.
func (s *Set) Families() []string {
	var names []string
	for _, f := range s.index() {
		if !slices.Contains(names, f.Family) {
			names = append(names, f.Family)
		}
	}
	return names
}

// Style is how a font is to look.
type Style struct {
	Family string // "" is the preferred one for text
	Bold   bool
	Italic bool
	Mono   bool // every character as wide as another
}

// Lookup tells whether there is a family; names are compared without case, spaces and hyphens.
func (s *Set) Lookup(family string) bool {
	for _, f := range s.index() {
		if plain(f.Family) == plain(family) {
			return true
		}
	}
	return false
}

func plain(family string) string {
	return strings.NewReplacer(" ", "", "-", "").Replace(strings.ToLower(family))
}

// Choose orders the fonts by how well they suit a style. The first that has a character
// is the one to write it with.
func (s *Set) Choose(style Style) []*Font {
	list := slices.Clone(s.index())
	slices.SortStableFunc(list, func(a, b *Font) int { return a.misfit(style) - b.misfit(style) })
	return list
}

// misfit is 0 for a font that is what the style asks for.
func (f *Font) misfit(style Style) int {
	n := 0
	if style.Family != "" && plain(f.Family) != plain(style.Family) {
		n += 16
	}
	if f.Mono != style.Mono {
		n += 4
	}
	if f.Bold != style.Bold {
		n += 2
	}
	if f.Italic != style.Italic {
		n++
	}
	return n
}
