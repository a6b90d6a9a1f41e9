package hostile

import (
	"bytes"
	"strings"
)

// broken are files that are damaged, locked, or something else.
func broken() []File {
	whole := newBuilder().bytes()
	locked := newBuilder()
	// Owner and user entries that no password fits.
	locked.trailer = "/ID[<00><00>]/Encrypt<</Filter/Standard/V 1/R 2/Length 40/P -4/O<" + strings.Repeat("11", 32) + ">/U<" + strings.Repeat("22", 32) + ">>>"
	unknown := newBuilder()
	unknown.trailer = "/ID[<00><00>]/Encrypt<</Filter/Acme.Lock/V 4/R 4>>"
	return []File{
		{"header-only.pdf", []byte("%PDF-1.7\n")},
		{"half.pdf", whole[:len(whole)/2]},
		{"no-table.pdf", append(bytes.Clone(whole[:bytes.Index(whole, []byte("xref\n"))]), "trailer\n<</Root 1 0 R>>\n"...)},
		{"wrong-table.pdf", bytes.ReplaceAll(whole, []byte(" 00000 n"), []byte(" 00007 n"))},
		{"zeros.pdf", append([]byte("%PDF-1.7\n"), make([]byte, 100_000)...)},
		{"pages-missing.pdf", newBuilder().set(2, "<</Type/Pages/Count 0/Kids[]>>").bytes()},
		{"catalog-missing.pdf", newBuilder().set(1, "null").bytes()},
		{"page-is-a-number.pdf", newBuilder().set(3, "42").bytes()},
		{"locked.pdf", locked.bytes()},
		{"locked-by-another.pdf", unknown.bytes()},
		{"filters-many.pdf", newBuilder().set(4, "%s", stream("/Filter["+strings.Repeat("/ASCIIHexDecode", 10_000)+"]", "41>")).bytes()},
		{"script.pdf", newBuilder().set(1, "<</Type/Catalog/Pages 2 0 R/OpenAction<</S/JavaScript/JS(while \\(true\\) {})>>/AA<</WC<</S/Launch/F(/bin/sh)>>>>>>").bytes()},
		{"html.pdf", []byte("<!doctype html><script>alert(1)</script>")},
	}
}
