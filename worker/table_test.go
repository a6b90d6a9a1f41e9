package worker

import (
	"context"
	"errors"
	"fmt"
	"syscall"

	"github.com/sandboxd/sandboxd/op"
)

type refIn struct {
	Ref string `json:"ref" doc:"a name"`
}

type sizeIn struct {
	Bytes int64 `json:"bytes" doc:"how many"`
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
		op.Define("test.engine", "test_engine", testEngineOp, doc),
		op.Define("test.attempt", "test_attempt", func(ctx context.Context, env *op.Env, in refIn) (textOut, error) {
			if err := attempts[in.Ref](); err != nil {
				return textOut{err.Error()}, nil
			}
			return textOut{"SUCCEEDED"}, nil
		}, doc),
		op.Define("test.panic", "test_panic", func(ctx context.Context, env *op.Env, in refIn) (textOut, error) {
			panic("a library's mistake with " + in.Ref)
		}, doc),
		op.Define("test.panicElsewhere", "test_panic_elsewhere", func(ctx context.Context, env *op.Env, in refIn) (textOut, error) {
			go func() { panic("a library's mistake in a goroutine of its own") }()
			<-ctx.Done()
			return textOut{}, ctx.Err()
		}, doc),
		// test.write fills a staged file until the limit says no.
		op.Define("test.write", "test_write", func(ctx context.Context, env *op.Env, in sizeIn) (textOut, error) {
			staged, err := env.Host.Stage(ctx)
			if err != nil {
				return textOut{}, err
			}
			defer staged.Data.Close()
			var written int64
			for chunk := make([]byte, 1<<20); written < in.Bytes; {
				n, err := staged.Data.Write(chunk)
				written += int64(n)
				if err != nil {
					return textOut{fmt.Sprint(written, " ", errors.Is(err, syscall.EFBIG))}, nil
				}
			}
			return textOut{fmt.Sprint(written)}, nil
		}, doc),
		// test.hoard takes memory in Go and touches it.
		op.Define("test.hoard", "test_hoard", func(ctx context.Context, env *op.Env, in sizeIn) (textOut, error) {
			var all [][]byte
			for taken := int64(0); taken < in.Bytes; taken += 1 << 20 {
				block := make([]byte, 1<<20)
				for i := range block {
					block[i] = byte(i)
				}
				all = append(all, block)
			}
			return textOut{fmt.Sprint(len(all))}, nil
		}, doc),
		// test.spin does not look at its context.
		op.Define("test.spin", "test_spin", func(ctx context.Context, env *op.Env, in refIn) (textOut, error) {
			for {
			}
		}, doc),
		op.Define("test.sleep", "test_sleep", func(ctx context.Context, env *op.Env, in refIn) (textOut, error) {
			<-ctx.Done()
			return textOut{}, context.Cause(ctx)
		}, doc),
	}
}
