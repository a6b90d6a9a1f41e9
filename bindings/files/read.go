package files

import (
	"context"

	"github.com/sandboxd/sandboxd/bindings/files/text"
	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/problem"
)

type readTextIn struct {
	ID      string `json:"id" doc:"File id or name"`
	Options struct {
		StartLine *int  `json:"start_line" min:"1" doc:"First line to read (1-based). Omit to start from the beginning."`
		EndLine   *int  `json:"end_line" min:"0" doc:"Last line to read (inclusive). Omit to read to the end."`
		Version   int64 `json:"version,omitempty" min:"1" doc:"An old version to read, as listed by files.versions. Omit for the latest."`
	} `op:"options"`
}

type readTextOut struct {
	Content    string `json:"content" doc:"The text. A range comes without the last line's line end, so that content.split(\"\\n\") has one item a line."`
	TotalLines int    `json:"total_lines" doc:"Lines of the whole file"`
}

func readText(ctx context.Context, env *op.Env, in readTextIn) (out readTextOut, err error) {
	o := in.Options
	err = view(ctx, env, in.ID, o.Version, true, func(file host.File, b *text.Buffer) error {
		if out.TotalLines, err = b.Lines(); err != nil {
			return failedTo("read", file.Name, err)
		}
		if o.StartLine == nil && o.EndLine == nil {
			out.Content, err = b.All()
		} else {
			out.Content, err = readRange(b, o.StartLine, o.EndLine, out.TotalLines)
		}
		if err != nil {
			return failedTo("read", file.Name, err)
		}
		return nil
	})
	return out, err
}

// readRange reads what there is of lines start to end. A loop that reads on from behind
// the last line gets nothing; further out there is a mistake.
func readRange(b *text.Buffer, start, end *int, total int) (string, error) {
	first, last := 1, total
	if start != nil {
		first = *start
	}
	if end != nil {
		last = min(*end, total)
	}
	switch {
	case first > total+1:
		return "", problem.New(problem.InvalidArgument, "startLine %d is behind the end: the file has %d lines", first, total).
			With("total_lines", total)
	case end != nil && *end < first-1:
		return "", problem.New(problem.InvalidArgument, "endLine %d comes before startLine %d", *end, first)
	case last < first:
		return "", nil
	}
	return b.Range(first, last)
}

type fileIn struct {
	ID string `json:"id" doc:"File id or name"`
}

type lineCountOut struct {
	TotalLines int `json:"total_lines" op:"result" doc:"Number of lines; a last line without a line end counts"`
}

func lineCount(ctx context.Context, env *op.Env, in fileIn) (out lineCountOut, err error) {
	err = view(ctx, env, in.ID, 0, true, func(file host.File, b *text.Buffer) error {
		if out.TotalLines, err = b.Lines(); err != nil {
			return failedTo("read", file.Name, err)
		}
		return nil
	})
	return out, err
}
