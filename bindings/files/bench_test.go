package files_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sandboxd/sandboxd/op"
)

// fiftyMB is a log of 50 MB, 60 bytes a line.
func fiftyMB() []byte {
	var b strings.Builder
	for i := 0; b.Len() < 50_000_000-60; i++ {
		fmt.Fprintf(&b, "2026-01-01T00:00:00Z line %8d %s\n", i, "of the log of a server...")
	}
	return []byte(b.String())
}

func middle() op.Object {
	return op.Object{{Name: "startLine", Value: int64(400_000)}, {Name: "endLine", Value: int64(400_019)}}
}

// Twenty lines in the middle of 50 MB, when the lines were counted before.
func BenchmarkRangeSecondRead(b *testing.B) {
	r := newRun(b)
	f := r.host.Add(b, "big.log", fiftyMB())
	r.do("files.readText", f.ID, middle())
	b.ReportAllocs()
	for b.Loop() {
		r.do("files.readText", f.ID, middle())
	}
}

// The same when nothing is known of the file.
func BenchmarkRangeFirstRead(b *testing.B) {
	r := newRun(b)
	f := r.host.Add(b, "big.log", fiftyMB())
	r.env.Cache = nil
	b.ReportAllocs()
	for b.Loop() {
		r.do("files.readText", f.ID, middle())
	}
}

// The whole of 50 MB as one string.
func BenchmarkReadAll(b *testing.B) {
	r := newRun(b)
	f := r.host.Add(b, "big.log", fiftyMB())
	b.ReportAllocs()
	for b.Loop() {
		r.do("files.readText", f.ID)
	}
}

func BenchmarkAppend(b *testing.B) {
	r := newRun(b)
	f := r.host.Add(b, "a.log", nil)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if i%500_000 == 499_999 {
			r.do("files.writeText", f.ID, "") // stay within the size of a file
		}
		r.do("files.append", f.ID, "one line of a log that grows\n")
	}
}

// One line of 50 MB replaced and another inserted, in one run.
func BenchmarkEditInTheMiddle(b *testing.B) {
	r := newRun(b)
	f := r.host.Add(b, "big.log", fiftyMB()[:40_000_000])
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		line := int64(100_000 + i%400_000)
		r.do("files.replaceLines", f.ID, line, line, "changed")
		r.do("files.replaceLines", f.ID, line, line, "a line that is as long as it was before, more or less...")
	}
}

func BenchmarkSearch(b *testing.B) {
	r := newRun(b)
	f := r.host.Add(b, "big.log", fiftyMB())
	b.SetBytes(f.Size)
	for b.Loop() {
		r.do("files.searchText", f.ID, `line +\d*777777\b`)
	}
}
