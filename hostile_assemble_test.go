package sandboxd_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/bindings/files/pdf/hostile"
	"github.com/sandboxd/sandboxd/engine/enginetest"
	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/problem"
)

// assembling is done to every hostile PDF in turn; each part answers its code or "ok".
const assembling = `const name = %q, codes = [];
for (const call of [
	() => files.pdf.addText(name, 1, 'Grüße 你好', { x: 20, y: 20 }),
	() => files.pdf.rotatePages(name, 90),
	() => files.pdf.watermark(name, { text: 'DRAFT' }),
	() => files.pdf.merge([name, name], 'merged-' + name),
	() => files.pdf.splitPages(name, [1]),
	() => files.pdf.addPage(name, { at: 1 }),
	() => files.pdf.deletePage(name, 1),
	() => files.pdf.optimize(name),
	() => files.pdf.encrypt(name, { ownerPassword: 'o' }),
]) {
	try { await call(); codes.push('ok'); } catch (e) { codes.push(e.code); }
}
return codes`

// TestHostilePDFsAreAssembled puts every hostile PDF together with itself, and apart.
func TestHostilePDFsAreAssembled(t *testing.T) {
	if testing.Short() {
		t.Skip("short")
	}
	places := enginetest.Places(t)
	h := open(t, sandboxd.Config{Engines: &places})
	fine := []string{"ok", string(problem.DamagedFile), string(problem.TooComplex), string(problem.PasswordRequired),
		string(problem.UnsupportedFormat), string(problem.InvalidArgument), string(problem.FileTooLarge)}
	deaths := []problem.Code{problem.Timeout, problem.CPULimit, problem.MemoryLimit, problem.StackOverflow, problem.TooComplex}
	t.Run("files", func(t *testing.T) {
		for _, file := range hostile.Files() {
			t.Run(file.Name, func(t *testing.T) {
				t.Parallel()
				put(t, h, file.Name, file.Data)
				answer := h.Run(t.Context(), sandboxd.Run{Script: fmt.Sprintf(assembling, file.Name), Limits: limits.Limits{WallTime: 5 * time.Second}})
				if !answer.OK {
					t.Logf("%s", answer.Error.Code)
					if !slices.Contains(deaths, answer.Error.Code) {
						t.Errorf("%v (%v)", answer.Error, answer.Error.Cause)
					}
					return
				}
				codes := stringsOf(t, answer.Result)
				t.Log(codes)
				for _, code := range codes {
					if !slices.Contains(fine, code) {
						t.Errorf("%v", codes)
						break
					}
				}
			})
		}
	})
	put(t, h, "fine.pdf", hostile.Fine())
	must(t, h.Run(t.Context(), sandboxd.Run{Script: `(await files.pdf.merge(["fine.pdf", "fine.pdf"], "two.pdf")).pageCount`}))
}

func stringsOf(t *testing.T, result json.RawMessage) (list []string) {
	t.Helper()
	if err := json.Unmarshal(result, &list); err != nil {
		t.Fatal(err)
	}
	return list
}
