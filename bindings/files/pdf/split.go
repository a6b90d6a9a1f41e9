package pdf

import (
	"context"
	"fmt"
	"path"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/sandboxd/sandboxd/bindings/files/pdf/document"
	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/problem"
)

type splitPagesIn struct {
	FileID  string    `json:"file_id" doc:"File id or name"`
	Ranges  rangeList `json:"ranges,omitempty" doc:"Pages of each new file, each \"1-3\", \"5\", \"7-\", \"1-2,9\" (one file of both), a number, or [1, 3], which is from 1 to 3. One text such as \"1-3,4-\" makes a file of each of its ranges. Defaults to a file for each page."`
	Options struct {
		Names []string `json:"names,omitempty" doc:"Names of the new files. Defaults to such as report-p1-3.pdf."`
		secret
	} `json:"options,omitempty" op:"options"`
}

type splitPagesOut struct {
	Files []splitPart `json:"files" doc:"The new files, in the order of the ranges"`
	repair
}

type splitPart struct {
	made
	Pages string `json:"pages" doc:"The pages of the original that are in it, such as 1-3"`
}

// maxParts is how many files a split may make.
const maxParts = 1000

// splitStores is how many new files are on their way to the host at a time.
const splitStores = 4

func splitPages(ctx context.Context, env *op.Env, in splitPagesIn) (out splitPagesOut, err error) {
	src, err := fetch(ctx, env, in.FileID, in.Options.Password)
	if err != nil {
		return out, err
	}
	_, err = guarded(func() ([]byte, error) {
		d, repaired, err := src.graph(ctx, env)
		if err != nil {
			return nil, err
		}
		out.Repaired = repaired
		parts, err := in.parts(src.file.Name, len(d.Pages))
		if err != nil {
			return nil, err
		}
		out.Files, err = in.split(ctx, env, d, src.file.Name, parts)
		return nil, err
	})
	return out, src.failed(err)
}

// split makes a file of each part. They are written one by one, since they share their
// objects, and stored while the next are written.
func (in splitPagesIn) split(ctx context.Context, env *op.Env, d *document.Document, from string, parts [][]int) ([]splitPart, error) {
	files := make([]splitPart, len(parts))
	storing, ctx := errgroup.WithContext(ctx)
	storing.SetLimit(splitStores)
	stored := map[string]chan struct{}{} // by name: the second of a name waits until the first has it
	write := func(i int) error {
		label := labelOf(parts[i])
		name, unique := strings.TrimSuffix(from, path.Ext(from))+"-p"+label+".pdf", true
		if len(in.Options.Names) > 0 {
			var err error
			if name, err = pdfName("names", in.Options.Names[i]); err != nil {
				return err
			}
			unique = false
		}
		data, err := written(ctx, env.Limits.FileBytes, d.Take(parts[i]), name)
		if err != nil {
			return err
		}
		before, done := stored[name], make(chan struct{})
		stored[name] = done
		storing.Go(func() error {
			defer close(done)
			if before != nil {
				<-before
			}
			file, err := create(ctx, env, name, mimeType, data, unique)
			files[i] = splitPart{madeOf(file, len(parts[i])), label}
			return err
		})
		return nil
	}
	var err error
	for i := range parts {
		if err = write(i); err != nil {
			break
		}
	}
	// Of two errors the one that ended the other counts.
	if failed := storing.Wait(); failed != nil {
		err = failed
	}
	return files, err
}

// parts are the indexes of the pages of each new file.
func (in splitPagesIn) parts(name string, pages int) (parts [][]int, err error) {
	if len(in.Ranges.ranges) == 0 {
		for i := range pages {
			parts = append(parts, []int{i})
		}
	}
	for _, r := range in.Ranges.ranges {
		part, err := r.indexes("ranges", name, pages)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
	}
	if len(parts) > maxParts {
		return nil, problem.New(problem.TooComplex, "that would make %d files; %d are the most", len(parts), maxParts).
			WithHint("Split fewer pages at a time, or into larger ranges.").With("limit", maxParts)
	}
	if n := len(in.Options.Names); n > 0 && n != len(parts) {
		return nil, problem.New(problem.InvalidArgument, "names: expected %d, one for each new file, got %d", len(parts), n).With("argument", "names")
	}
	return parts, nil
}

// rangeList is what splitPages makes files of. Its zero value is a file for each page.
type rangeList struct{ ranges []pageRange }

var _ op.Variant = (*rangeList)(nil)

func (r *rangeList) Forms() ([]any, string) {
	return []any{"", []pageRange(nil)}, `ranges such as "1-3,4-" or ["1-3", "4-"]`
}

// Take divides a plain text at its commas: each range is a file, as if it stood in a list.
func (r *rangeList) Take(value any) {
	text, ok := value.(string)
	if !ok {
		r.ranges = value.([]pageRange)
		return
	}
	if strings.EqualFold(strings.TrimSpace(text), "all") {
		return
	}
	for part := range strings.SplitSeq(text, ",") {
		r.ranges = append(r.ranges, pageRange{pagePart(part)})
	}
}

// pageRange is the pages of one new file.
type pageRange struct{ pagePart }

var _ op.Variant = (*pageRange)(nil)

func (r *pageRange) Forms() ([]any, string) {
	return []any{0, "", []int(nil)}, `pages such as "1-3", 5 or [1, 3]`
}

func (r *pageRange) Take(value any) {
	if list, ok := value.([]int); ok {
		r.pagePart = pagePart(fmt.Sprint(list)) // which is refused where the pages are known
		if len(list) == 2 {
			r.pagePart = pagePart(fmt.Sprintf("%d-%d", list[0], list[1]))
		}
		return
	}
	r.pagePart = partOf(value)
}

// labelOf writes indexes as page numbers: 1-3,9.
func labelOf(pages []int) string {
	var b strings.Builder
	for i := 0; i < len(pages); {
		end := i
		for end+1 < len(pages) && pages[end+1] == pages[end]+1 {
			end++
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Itoa(pages[i] + 1))
		if end > i {
			b.WriteString("-" + strconv.Itoa(pages[end]+1))
		}
		i = end + 1
	}
	if b.Len() > 60 {
		return b.String()[:60] + "…"
	}
	return b.String()
}
