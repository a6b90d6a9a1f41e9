package fonts_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/sandboxd/sandboxd/bindings/files/pdf/fonts"
	"github.com/sandboxd/sandboxd/engine"
	"github.com/sandboxd/sandboxd/engine/enginetest"
)

// installed gives the fonts of make engines.
func installed(t *testing.T) *fonts.Set {
	t.Helper()
	set, err := engine.Of[*fonts.Set](engine.NewSet([]engine.Engine{fonts.Engine()}, enginetest.Places(t)), fonts.Name)
	if err != nil {
		t.Skip("there are no fonts: make engines")
	}
	return set
}

func TestAFontIsChosenByWhatItCovers(t *testing.T) {
	set := installed(t)
	for r, family := range map[rune]string{'ß': "Noto Sans", 'Ж': "Noto Sans", '中': "Noto Sans SC", 'ع': "DejaVu Sans", 'ש': "DejaVu Sans", 'ก': "Noto Sans Thai", '한': "NanumGothic"} {
		found := ""
		for _, f := range set.Choose(fonts.Style{}) {
			if f.Has(r) {
				found = f.Family
				break
			}
		}
		if found != family {
			t.Errorf("%c is in %q, want %q", r, found, family)
		}
	}
}

func TestAFontIsChosenByItsStyle(t *testing.T) {
	set := installed(t)
	for _, c := range []struct {
		style  fonts.Style
		family string
	}{
		{fonts.Style{}, "Noto Sans"},
		{fonts.Style{Bold: true, Italic: true}, "Noto Sans"},
		{fonts.Style{Mono: true}, "DejaVu Sans Mono"},
		{fonts.Style{Family: "dejavu sans", Bold: true}, "DejaVu Sans"},
	} {
		f := set.Choose(c.style)[0]
		if f.Family != c.family || f.Bold != c.style.Bold || f.Italic != c.style.Italic || f.Mono != c.style.Mono {
			t.Errorf("%+v is %+v", c.style, f)
		}
		if _, err := f.Face(); err != nil {
			t.Error(err)
		}
	}
	if !set.Lookup("NotoSans SC") || set.Lookup("No Such Font") {
		t.Error("families are not found by their names")
	}
}

func TestWhatIsNoFontIsNotThere(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{"a.ttf": "no font", "b.ttf": "", "c.ttc": "ttcf\x00\x01\x00\x00\xff\xff\xff\xff", "d.txt": "x",
		"e.ttf": "\x00\x01\x00\x00\x00\x09\x00\x00\x00\x00\x00\x00glyf"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := fonts.Open([]string{dir}).Families(); len(got) != 0 {
		t.Errorf("families %v", got)
	}
}

func BenchmarkOpen(b *testing.B) {
	at := enginetest.Places(b)
	for b.Loop() {
		fonts.Open(at.Fonts)
	}
}
