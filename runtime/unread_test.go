package runtime

import (
	"context"
	"strings"
	"testing"

	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/op"
)

func readsAndWrites() op.Table {
	type nothing struct{}
	type number struct {
		N int `json:"n" op:"result"`
	}
	answer := func(context.Context, *op.Env, nothing) (number, error) { return number{1}, nil }
	doc := op.Doc{Summary: "Does it.", Examples: []op.Example{{Title: "It", Code: "1"}}, Cost: op.CostLookup}
	reading := doc
	reading.ReadOnly = true
	return op.Table{op.Define("test.read", "test_read", answer, reading), op.Define("test.write", "test_write", answer, doc)}
}

// A read that was not awaited gave silent nonsense: its length is undefined, its JSON "{}".
func TestReadsThatNobodyAwaitedAreTold(t *testing.T) {
	for source, warnings := range map[string]int{
		"const r = test.read();\nreturn r.length":                                      1,
		"return JSON.stringify(test.read())":                                           1,
		"for (let i = 0; i < 10; i++) test.read();\nreturn 1":                          1,
		"const r = await test.read(); return r":                                        0,
		"return test.read()":                                                           0,
		"return (await Promise.all([test.read(), test.read()])).length":                0,
		"test.write();\nreturn 'changes are made all the same'":                        0,
		"test.read();\ntest.read();\ntest.read();\ntest.read();\ntest.read();\nreturn": maxUnread,
	} {
		out := Run(context.Background(), Config{Table: readsAndWrites(), Limits: limits.Limits{}}, Script{Source: source})
		if out.Error != nil {
			t.Errorf("%s: %v", source, out.Error)
		}
		said := 0
		for _, line := range out.Logs {
			if line.Level == "warn" && strings.Contains(line.Text, "test.read in line ") && strings.Contains(line.Text, "not awaited") {
				said++
			}
		}
		if said != warnings || len(out.Logs) != warnings {
			t.Errorf("%s: %d warnings, want %d: %v", source, said, warnings, out.Logs)
		}
	}
}
