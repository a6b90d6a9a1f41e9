package files

import (
	"context"
	"errors"
	"strings"

	"github.com/sandboxd/sandboxd/bindings/files/text"
	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/problem"
)

type writeTextIn struct {
	ID      string `json:"id" doc:"File id or name"`
	Content string `json:"content" doc:"Full text content to write"`
}

type writtenOut struct {
	OK   bool   `json:"ok" doc:"Always true"`
	Size int64  `json:"size" doc:"The file's size now, in bytes"`
	Note string `json:"note,omitempty" doc:"Says so if the file had to become UTF-8"`
}

func writeText(ctx context.Context, env *op.Env, in writeTextIn) (writtenOut, error) {
	return write(ctx, env, in.ID, in.Content, (*text.Buffer).Write)
}

type appendIn struct {
	ID   string `json:"id" doc:"File id or name"`
	Text string `json:"text" doc:"Text to put at the very end; begin or end it with a newline where you want one"`
}

func appendText(ctx context.Context, env *op.Env, in appendIn) (writtenOut, error) {
	return write(ctx, env, in.ID, in.Text, (*text.Buffer).Append)
}

func write(ctx context.Context, env *op.Env, ref, content string, do func(*text.Buffer, string) (*text.Lacks, error)) (out writtenOut, err error) {
	if err := mustBeText("content", content); err != nil {
		return out, err
	}
	err = edit(ctx, env, ref, true, func(d *document) error {
		lacks, err := d.change(func(b *text.Buffer) (*text.Lacks, error) { return do(b, content) })
		if err != nil {
			return err
		}
		out = writtenOut{OK: true, Size: d.content.Size(), Note: noteOf(lacks)}
		return nil
	})
	return out, orCreate(err, ref)
}

// orCreate tells whoever writes to a file that is not there how to make it.
func orCreate(err error, ref string) error {
	var p *problem.Error
	if !errors.As(err, &p) || p.Code != problem.NotFound || p.Hint != problem.New(p.Code, "").Hint || looksLikeID(ref) {
		return err
	}
	return p.WithHint("A new file is made by files.create(%.100q, undefined, { content }).", ref)
}

type replaceLinesIn struct {
	ID        string `json:"id" doc:"File id or name"`
	StartLine int    `json:"start_line" min:"1" doc:"First line to replace (1-based)"`
	EndLine   int    `json:"end_line" min:"1" doc:"Last line to replace (inclusive)"`
	Content   string `json:"content" js:"newContent" doc:"Replacement text: any number of lines. \"\" deletes the lines; \"\\n\" is one empty line."`
}

type editedOut struct {
	OK         bool   `json:"ok" doc:"Always true"`
	TotalLines int    `json:"total_lines" doc:"Lines of the file now"`
	Note       string `json:"note,omitempty" doc:"Says so if the file had to become UTF-8"`
}

func replaceLines(ctx context.Context, env *op.Env, in replaceLinesIn) (editedOut, error) {
	return editLines(ctx, env, in.ID, in.Content, func(b *text.Buffer, total int) (*text.Lacks, error) {
		switch {
		case in.EndLine < in.StartLine:
			return nil, problem.New(problem.InvalidArgument, "endLine %d comes before startLine %d", in.EndLine, in.StartLine)
		case in.EndLine > total:
			return nil, problem.New(problem.InvalidArgument, "endLine %d is behind the end: the file has %d lines", in.EndLine, total).
				WithHint("Use files.insertLines or files.append to add lines at the end.").With("total_lines", total)
		}
		return b.Replace(in.StartLine, in.EndLine, in.Content)
	})
}

type insertLinesIn struct {
	ID        string `json:"id" doc:"File id or name"`
	AfterLine int    `json:"after_line" min:"0" doc:"Line to insert behind; 0 inserts at the start"`
	Content   string `json:"content" doc:"Lines to insert; a newline at their end is optional"`
}

func insertLines(ctx context.Context, env *op.Env, in insertLinesIn) (editedOut, error) {
	return editLines(ctx, env, in.ID, in.Content, func(b *text.Buffer, total int) (*text.Lacks, error) {
		if in.AfterLine > total {
			return nil, problem.New(problem.InvalidArgument, "afterLine %d is behind the end: the file has %d lines", in.AfterLine, total).
				With("total_lines", total)
		}
		return b.Insert(in.AfterLine, in.Content)
	})
}

func editLines(ctx context.Context, env *op.Env, ref, content string, do func(b *text.Buffer, total int) (*text.Lacks, error)) (out editedOut, err error) {
	if err := mustBeText("content", content); err != nil {
		return out, err
	}
	err = edit(ctx, env, ref, true, func(d *document) error {
		total, err := d.content.Lines()
		if err != nil {
			return failedTo("read", d.file.Name, err)
		}
		lacks, err := d.change(func(b *text.Buffer) (*text.Lacks, error) { return do(b, total) })
		if err != nil {
			return err
		}
		if total, err = d.content.Lines(); err != nil {
			return failedTo("read", d.file.Name, err)
		}
		out = editedOut{OK: true, TotalLines: total, Note: noteOf(lacks)}
		return nil
	})
	return out, err
}

// mustBeText refuses what would make the file unreadable as text.
func mustBeText(argument, content string) error {
	if strings.IndexByte(content, 0) >= 0 {
		return problem.New(problem.InvalidArgument, "%s: expected text, got a string with a NUL character", argument).
			WithHint("Use files.writeBytes or files.appendBytes for binary data.")
	}
	return nil
}

func noteOf(l *text.Lacks) string {
	if l == nil {
		return ""
	}
	return "the file is UTF-8 now: " + l.Encoding.String() + " has no " + string(l.Character)
}
