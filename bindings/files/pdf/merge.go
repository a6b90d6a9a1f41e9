package pdf

import (
	"context"
	"iter"
	"path"
	"strings"
	"sync"

	"github.com/sandboxd/sandboxd/bindings/files/pdf/document"
	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/problem"
)

type mergeIn struct {
	FileIDs    []string `json:"file_ids" doc:"File ids or names, in the order of the result; one may be there twice"`
	OutputName string   `json:"output_name" doc:"Name of the new file"`
	Options    struct {
		Passwords map[string]string `json:"passwords,omitempty" doc:"Passwords of encrypted files, by what file_ids calls them"`
		secret
	} `json:"options,omitempty" op:"options"`
}

type mergeOut struct {
	made
	Parts   []mergedPart   `json:"parts" doc:"What came from which file"`
	Renamed []renamedField `json:"renamed_fields" doc:"Form fields whose names were taken by those of a file before"`
}

type mergedPart struct {
	File  string `json:"file" doc:"Name of the file"`
	First int    `json:"first_page" doc:"Number of its first page in the result"`
	Pages int    `json:"pages" doc:"Number of its pages"`
	repair
}

type renamedField struct {
	File string `json:"file" doc:"Name of the file that the field is from"`
	From string `json:"from" doc:"The field's name there; the names of fields below it begin so"`
	To   string `json:"to" doc:"Its name in the result"`
}

func merge(ctx context.Context, env *op.Env, in mergeIn) (out mergeOut, err error) {
	if len(in.FileIDs) == 0 {
		return out, problem.New(problem.InvalidArgument, "file_ids: expected at least one file, got none").With("argument", "file_ids")
	}
	name, err := pdfName("output_name", in.OutputName)
	if err != nil {
		return out, err
	}
	out.Renamed = []renamedField{}
	all := document.New()
	total := int64(0)
	for part := range in.read(ctx, env) {
		if part.err != nil {
			return out, part.err
		}
		if total += part.src.file.Size; total > 2*env.Limits.FileBytes {
			return out, problem.New(problem.FileTooLarge, "the files are larger together than a file may be").With("limit", env.Limits.FileBytes)
		}
		if err := out.append(env, all, part); err != nil {
			return out, part.src.failed(err)
		}
	}
	data, err := guarded(func() ([]byte, error) { return written(ctx, env.Limits.FileBytes, all, name) })
	if err != nil {
		return out, err
	}
	file, err := create(ctx, env, name, mimeType, data, false)
	out.made = madeOf(file, len(all.Pages))
	return out, err
}

// mergePart is a file that was read.
type mergePart struct {
	src      source
	doc      *document.Document
	repaired bool
	err      error
}

// readAhead is how many files are read while others are put together.
const readAhead = 2

// read gives the files in their order. Some are read at the same time.
func (in mergeIn) read(ctx context.Context, env *op.Env) iter.Seq[mergePart] {
	return func(yield func(mergePart) bool) {
		ctx, cancel := context.WithCancel(ctx)
		var reading sync.WaitGroup
		defer reading.Wait()
		defer cancel()
		parts := make([]chan mergePart, len(in.FileIDs))
		begin := func(i int) {
			if i >= len(parts) {
				return
			}
			parts[i] = make(chan mergePart, 1)
			reading.Go(func() { parts[i] <- in.part(ctx, env, in.FileIDs[i]) })
		}
		for i := range min(readAhead, len(parts)) {
			begin(i)
		}
		for i := range parts {
			part := <-parts[i]
			parts[i] = nil
			begin(i + readAhead)
			if !yield(part) {
				return
			}
		}
	}
}

// part reads one file.
func (in mergeIn) part(ctx context.Context, env *op.Env, ref string) (part mergePart) {
	password, ok := in.Options.Passwords[ref]
	if !ok {
		password = in.Options.Password
	}
	if part.src, part.err = fetch(ctx, env, ref, password); part.err != nil {
		return part
	}
	_, part.err = guarded(func() (_ []byte, err error) {
		part.doc, part.repaired, err = part.src.graph(ctx, env)
		return nil, err
	})
	part.err = part.src.failed(part.err)
	return part
}

// append puts a file's pages behind those of all.
func (out *mergeOut) append(env *op.Env, all *document.Document, part mergePart) error {
	about := mergedPart{File: part.src.file.Name, First: len(all.Pages) + 1, Pages: len(part.doc.Pages), repair: repair{part.repaired}}
	if n := len(all.Pages) + about.Pages; n > env.Limits.PDFPages {
		return problem.New(problem.TooComplex, "the result would have more than %d pages", env.Limits.PDFPages).With("limit", env.Limits.PDFPages)
	}
	out.Parts = append(out.Parts, about)
	_, err := guarded(func() ([]byte, error) {
		for _, field := range all.Append(part.doc) {
			out.Renamed = append(out.Renamed, renamedField{File: about.File, From: field.From, To: field.To})
		}
		return nil, nil
	})
	return err
}

// pdfName is the name for a new file, with its ending.
func pdfName(argument, name string) (string, error) {
	name = strings.TrimSpace(name)
	if name == "" {
		return "", problem.New(problem.InvalidArgument, "%s: expected a name such as report.pdf, got \"\"", argument).With("argument", argument)
	}
	if !strings.EqualFold(path.Ext(name), ".pdf") {
		name += ".pdf"
	}
	return name, nil
}

// made is what operations answer about a new file.
type made struct {
	ID        string `json:"id" doc:"The new file's id"`
	Name      string `json:"name" doc:"Its name"`
	Size      int64  `json:"size" doc:"In bytes"`
	PageCount int    `json:"page_count" doc:"Number of pages"`
}

func madeOf(file host.File, pages int) made {
	return made{file.ID, file.Name, file.Size, pages}
}
