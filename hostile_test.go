package sandboxd_test

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/bindings/files/pdf/hostile"
	"github.com/sandboxd/sandboxd/engine/enginetest"
	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/problem"
)

// hostileCalls are what is done to each hostile PDF. %q is its name.
var hostileCalls = map[string]string{
	"info":          `await files.pdf.info(%q)`,
	"extractText":   `await files.pdf.extractText(%q)`,
	"extractTables": `await files.pdf.extractTables(%q)`,
	"others": `await files.pdf.outline(%[1]q); await files.pdf.annotations(%[1]q); await files.pdf.getFormFields(%[1]q);
		await files.pdf.search(%[1]q, "hostile"); await files.pdf.extractImages(%[1]q)`,
	"renderPage": `await files.pdf.renderPage(%q, 1)`,
	"fillForm":   `await files.pdf.fillForm(%q, { a: "b" }, { flatten: true })`,
}

// TestHostilePDFs does everything to every hostile PDF. What came of it stands in
// testdata/hostile/codes.txt: a line for each file, the code that most calls end with and
// then those that end otherwise. "slow" is any of the limits of time and memory, a
// document's own among them: which of them is met first depends on the machine.
func TestHostilePDFs(t *testing.T) {
	if testing.Short() {
		t.Skip("short")
	}
	places := enginetest.Places(t)
	if places.PDFium == "" {
		t.Skip("there is no pdfium.wasm: run make engines")
	}
	h := open(t, sandboxd.Config{Engines: &places})
	list := filepath.Join("testdata", "hostile", "codes.txt")
	text, err := os.ReadFile(list)
	if err != nil && !*update {
		t.Fatal(err)
	}
	want := map[string]string{}
	for line := range strings.Lines(string(text)) {
		name, codes, _ := strings.Cut(strings.TrimSpace(line), ": ")
		want[name] = codes
	}
	files := hostile.Files()
	got := make([]string, len(files))
	t.Run("files", func(t *testing.T) {
		for i, file := range files {
			t.Run(file.Name, func(t *testing.T) {
				t.Parallel()
				stored, err := os.ReadFile(filepath.Join("testdata", "hostile", file.Name))
				if err != nil || !bytes.Equal(stored, file.Data) {
					t.Fatalf("it is not as the generator has it: run go generate ./bindings/files/pdf")
				}
				put(t, h, file.Name, file.Data)
				got[i] = endings(t, h, file.Name, want[file.Name])
				if !*update && got[i] != want[file.Name] {
					t.Errorf("%s\nwant %s", got[i], want[file.Name])
				}
			})
		}
	})
	if *update {
		var out bytes.Buffer
		for i, file := range files {
			fmt.Fprintf(&out, "%s: %s\n", file.Name, got[i])
		}
		if err := os.WriteFile(list, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	// The daemon is as calm as before.
	put(t, h, "fine.pdf", hostile.Fine())
	must(t, h.Run(t.Context(), sandboxd.Run{Script: `(await files.pdf.extractText("fine.pdf")).pages[0].text`}))
}

// endings sums up how the calls on a file end.
func endings(t *testing.T, h *sandboxd.Host, name, want string) string {
	t.Helper()
	calls := slices.Sorted(maps.Keys(hostileCalls))
	byCall, count, most := map[string]string{}, map[string]int{}, ""
	for _, call := range calls {
		run := sandboxd.Run{Script: fmt.Sprintf(hostileCalls[call], name), Limits: limits.Limits{WallTime: time.Second}}
		answer := h.Run(t.Context(), run)
		code := ending(answer)
		if code == "slow" && expected(want, call) != "slow" {
			run.Limits = limits.Limits{} // the machine may have been busy
			answer = h.Run(t.Context(), run)
			code = ending(answer)
		}
		if code == string(problem.TooComplex) && expected(want, call) == "slow" {
			code = "slow" // on this machine a document's own memory was the first limit that was met
		}
		byCall[call] = code
		if count[code]++; count[code] > count[most] {
			most = code
		}
		if answer.Receipt.PeakMemory > 800<<20 { // the watchdogs look in intervals
			t.Errorf("%s of %s took %d MB", call, name, answer.Receipt.PeakMemory>>20)
		}
	}
	text := most
	for _, call := range calls {
		if byCall[call] != most {
			text += ", " + call + " " + byCall[call]
		}
	}
	return text
}

// expected is what a line of codes.txt says of a call.
func expected(line, call string) string {
	most, others, _ := strings.Cut(line, ", ")
	for other := range strings.SplitSeq(others, ", ") {
		if name, code, ok := strings.Cut(other, " "); ok && name == call {
			return code
		}
	}
	return most
}

// ending is the code of an answer as codes.txt has it.
func ending(answer sandboxd.Answer) string {
	if answer.OK {
		return "ok"
	}
	switch code := answer.Error.Code; code {
	case problem.Timeout, problem.CPULimit, problem.MemoryLimit:
		return "slow"
	case problem.ResultTooLarge:
		return "ok" // more than may be answered at once was found
	default:
		return string(code)
	}
}
