package op_test

import (
	"encoding/json"
	"testing"
)

func BenchmarkBindJS(b *testing.B) {
	table := sample()
	read, _ := table.Lookup("files.readText")
	write, _ := table.Lookup("files.spreadsheet.writeRange")
	grid := make([]any, 1000)
	for i := range grid {
		grid[i] = []any{1.0, "x", nil, true, 2.5}
	}
	for name, bind := range map[string]func() error{
		"id and options": func() error {
			if _, err := read.BindJS([]any{"a", obj{{"startLine", 1.0}, {"endLine", 20.0}}}); err != nil {
				return err
			}
			return nil
		},
		"1000 rows": func() error {
			if _, err := write.BindJS([]any{"a", "A1", grid}); err != nil {
				return err
			}
			return nil
		},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := bind(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkBindTool(b *testing.B) {
	read, _ := sample().Lookup("files.readText")
	args := json.RawMessage(`{"id":"a","start_line":1,"end_line":20}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := read.BindTool(args); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkResult(b *testing.B) {
	list, _ := sample().Lookup("files.list")
	out := listOut{make([]listed, 1000)}
	b.Run("JS", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			list.ResultJS(out)
		}
	})
	b.Run("tool", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := list.ResultTool(out); err != nil {
				b.Fatal(err)
			}
		}
	})
}
