package worker

import (
	"context"

	"github.com/sandboxd/sandboxd/op"
)

type refIn struct {
	Ref string `json:"ref" doc:"a name"`
}

type textOut struct {
	Text string `json:"text" op:"result" doc:"the text"`
}

// testTable is what a worker of these tests can do.
func testTable() op.Table {
	doc := op.Doc{Summary: "Only for tests.", Examples: []op.Example{{Title: "call", Code: "await test.read('a')"}}, Cost: op.CostRead}
	return op.Table{
		op.Define("test.stat", "test_stat", func(ctx context.Context, env *op.Env, in refIn) (textOut, error) {
			file, err := env.Host.Stat(ctx, in.Ref)
			return textOut{file.Name}, err
		}, doc),
	}
}
