package runtime

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/op"
)

// sixty is a table as large as the real one.
func sixty() op.Table {
	type in struct {
		ID string `json:"id"`
	}
	type out struct {
		ID string `json:"id"`
	}
	var table op.Table
	for _, space := range []string{"files", "files.spreadsheet", "files.pdf", "files.image", "db", "state"} {
		for n := range 10 {
			table = append(table, op.Define(fmt.Sprintf("%s.operation%d", space, n), fmt.Sprintf("%s_operation_%d", strings.ReplaceAll(space, ".", "_"), n),
				func(ctx context.Context, env *op.Env, in in) (out, error) { return out{in.ID}, nil },
				op.Doc{Summary: "Does nothing.", Cost: op.CostLookup, Examples: []op.Example{{Title: "Call it", Code: "x"}}}))
		}
	}
	return table
}

func benchmark(b *testing.B, source string) {
	table := sixty()
	programs := NewPrograms()
	b.ReportAllocs()
	for b.Loop() {
		out := Run(context.Background(), Config{Table: table, Programs: programs}, Script{Source: source})
		if out.Error != nil {
			b.Fatal(out.Error)
		}
	}
}

func BenchmarkOnePlusOne(b *testing.B) { benchmark(b, "1+1") }

func BenchmarkHundredCalls(b *testing.B) {
	benchmark(b, "for (let i = 0; i < 100; i++) await files.operation3('x')")
}

func BenchmarkConsole(b *testing.B) { benchmark(b, "console.log('a')") }

func BenchmarkAppendMillion(b *testing.B) {
	benchmark(b, "let s = ''; for (let i = 0; i < 1e6; i++) s += 'x'; s.length")
}

func BenchmarkAppendMillionMember(b *testing.B) {
	benchmark(b, "const o = {s: ''}; for (let i = 0; i < 1e6; i++) o.s += 'é'; o.s.length")
}

func BenchmarkEmptyLoopMillion(b *testing.B) {
	benchmark(b, "let s = 0; for (let i = 0; i < 1e6; i++) s += 1; s")
}

func BenchmarkCompile(b *testing.B) {
	source := ""
	for n := range 50 {
		source += fmt.Sprintf("const a%d = rows.filter(r => r.name === 'x%d').map(r => ({ ...r, total: r.a * %d }));\n", n, n, n)
	}
	for b.Loop() {
		if failure := Check(Script{Source: source}); failure != nil {
			b.Fatal(failure)
		}
	}
}

// rowsTable answers and takes 100,000 rows of ten cells.
func rowsTable() op.Table {
	rows := make([][]any, 100_000)
	for r := range rows {
		rows[r] = make([]any, 10)
		for c := range rows[r] {
			if c%2 == 0 {
				rows[r][c] = float64(r * c)
			} else {
				rows[r][c] = fmt.Sprintf("cell %d", r)
			}
		}
	}
	type none struct{}
	type give struct {
		Rows [][]any `json:"rows" op:"result"`
	}
	type take struct {
		Rows any `json:"rows"`
	}
	doc := op.Doc{Summary: "Moves rows.", Cost: op.CostLookup, Examples: []op.Example{{Title: "Call it", Code: "x"}}}
	return op.Table{
		op.Define("lab.rows", "lab_rows", func(ctx context.Context, env *op.Env, in none) (give, error) { return give{rows}, nil }, doc),
		op.Define("lab.take", "lab_take", func(ctx context.Context, env *op.Env, in take) (none, error) { return none{}, nil }, doc),
	}
}

func BenchmarkRowsOut(b *testing.B) {
	table := rowsTable()
	for b.Loop() {
		if out := Run(context.Background(), Config{Table: table}, Script{Source: "(await lab.rows()).length"}); out.Error != nil {
			b.Fatal(out.Error)
		}
	}
}

func BenchmarkRowsIn(b *testing.B) {
	table := rowsTable()
	for b.Loop() {
		if out := Run(context.Background(), Config{Table: table}, Script{
			Source: "const row = [1, 'a', 2, 'b', 3, 'c', 4, 'd', 5, 'e']; const rows = []; for (let i = 0; i < 1e5; i++) rows.push(row.slice()); await lab.take(rows)"}); out.Error != nil {
			b.Fatal(out.Error)
		}
	}
}

func BenchmarkObjectsIn(b *testing.B) {
	table := rowsTable()
	for b.Loop() {
		if out := Run(context.Background(), Config{Table: table}, Script{
			Source: "const rows = []; for (let i = 0; i < 1e5; i++) rows.push({ a: 1, b: 'x', c: 2, d: 'y', e: null }); await lab.take(rows)"}); out.Error != nil {
			b.Fatal(out.Error)
		}
	}
}

func BenchmarkResult(b *testing.B) {
	for b.Loop() {
		if out := Run(context.Background(), Config{Limits: limits.Limits{ResultBytes: 64 << 20}}, Script{
			Source: "const rows = []; for (let i = 0; i < 1e5; i++) rows.push({ a: 1, b: 'x', c: 2, d: 'y', e: null }); rows"}); out.Error != nil {
			b.Fatal(out.Error)
		}
	}
}
