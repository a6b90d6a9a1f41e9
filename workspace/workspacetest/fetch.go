package workspacetest

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/problem"
	"github.com/sandboxd/sandboxd/workspace"
)

// web is a Fetcher whose addresses are their own answers: the last part is the name, the
// query is the content.
type web struct{}

func (web) Fetch(ctx context.Context, url string, dst io.Writer, max int64) (workspace.Fetched, error) {
	address, body, ok := strings.Cut(url, "?")
	if !ok {
		return workspace.Fetched{}, problem.New(problem.FetchFailed, "the server answered 404")
	}
	_, err := io.WriteString(dst, body)
	return workspace.Fetched{Name: address[strings.LastIndex(address, "/")+1:], MimeType: "text/csv; charset=utf-8"}, err
}

func downloadsBecomeFiles(t *testing.T, f *Fixture) {
	ctx := context.Background()
	s := f.open(t, workspace.Config{Fetcher: web{}, Limits: limits.Limits{FileBytes: 1000}})
	receipt := do(t, s, func(r *workspace.Run) {
		for _, c := range []struct{ url, name, want string }{
			{"https://x.example/data.csv?a,b", "", "data.csv"},
			{"https://x.example/data.csv?a,b,c", "", "data (2).csv"},
			{"https://x.example/?a,b", "", "download"},
			{"https://x.example/data.csv?a,b", "mine/may.csv", "mine/may.csv"},
		} {
			got, err := r.Fetch(ctx, c.url, c.name)
			failOn(t, err)
			equal(t, "name of "+c.url, got.Name, c.want)
			equal(t, "type of "+c.url, got.MimeType, "text/csv")
		}
		_, err := r.Fetch(ctx, "https://x.example/missing", "")
		fails(t, "a failure of the other side", err, problem.FetchFailed)
		_, err = r.Fetch(ctx, "https://x.example/big?"+strings.Repeat("x", 1001), "")
		fails(t, "a large answer", err, problem.FileTooLarge)
		_, err = r.Fetch(ctx, "https://x.example/data.csv?a", "../up")
		fails(t, "a bad name", err, problem.InvalidArgument)
	})
	equal(t, "files", len(receipt.Files), 4)
	equal(t, "content", stored(t, s, "data (2).csv", 0), "a,b,c")

	s = f.store(t, limits.Limits{})
	do(t, s, func(r *workspace.Run) {
		_, err := r.Fetch(ctx, "https://x.example/a?b", "")
		fails(t, "without a fetcher", err, problem.EngineMissing)
	})
}
