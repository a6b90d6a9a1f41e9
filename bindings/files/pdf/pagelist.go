package pdf

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/problem"
)

// pageList is which pages an operation is to work on. Its zero value is all of them.
type pageList struct{ parts []pagePart }

var _ op.Variant = (*pageList)(nil)

func (p *pageList) Forms() ([]any, string) {
	return []any{0, "", []pagePart(nil)}, `pages such as 3, [1, 2], "1-3,7-" or "all"`
}

func (p *pageList) Take(value any) {
	if list, ok := value.([]pagePart); ok {
		p.parts = list
		return
	}
	p.parts = []pagePart{partOf(value)}
}

// indexes gives the pages of a document that are meant, in the order in which they were
// named, from 0.
func (p pageList) indexes(name string, count int) ([]int, error) {
	if len(p.parts) == 0 {
		return pagePart("all").indexes("pages", name, count)
	}
	var list []int
	for _, part := range p.parts {
		more, err := part.indexes("pages", name, count)
		if err != nil {
			return nil, err
		}
		if list = append(list, more...); len(list) > max(count, len(p.parts)) {
			return nil, problem.New(problem.InvalidArgument, "pages: pages are named more than once; %q has %s", name, plural(count, "page")).
				With("argument", "pages")
		}
	}
	return list, nil
}

// pagePart names some pages in a text: 3, 1-3, 7-, last, all, or several divided by commas.
type pagePart string

var _ op.Variant = (*pagePart)(nil)

func (p *pagePart) Forms() ([]any, string) {
	return []any{0, ""}, `a page such as 3, or pages such as "1-3"`
}

func (p *pagePart) Take(value any) { *p = partOf(value) }

func partOf(value any) pagePart { return pagePart(fmt.Sprint(value)) }

// indexes gives the pages of a document that are meant, from 0. No more come than the
// document has. Errors name the argument.
func (p pagePart) indexes(argument, name string, count int) ([]int, error) {
	wrong := func() error {
		return problem.New(problem.InvalidArgument, "%s: expected pages such as 3, \"1-3\" or \"7-\", got %q", argument, string(p)).
			WithHint("%q has %s. Write 3, \"1-3\", \"7-\", \"1-2,9\", \"last\" or \"all\".", name, plural(count, "page")).With("argument", argument)
	}
	number := func(text string) (int, error) {
		if text = strings.TrimSpace(text); strings.EqualFold(text, "last") {
			return count, nil
		}
		return strconv.Atoi(text)
	}
	var list []int
	for part := range strings.SplitSeq(string(p), ",") {
		if part = strings.TrimSpace(part); strings.EqualFold(part, "all") {
			part = "1-"
		}
		first, last, isRange := strings.Cut(strings.ReplaceAll(part, "–", "-"), "-")
		from, err := number(first)
		if err != nil {
			return nil, wrong()
		}
		to := from
		if isRange && strings.TrimSpace(last) == "" {
			to = count
		} else if isRange {
			if to, err = number(last); err != nil {
				return nil, wrong()
			}
		}
		for _, page := range []int{from, to} {
			if _, err := pageIndex(argument, name, count, page); err != nil {
				return nil, err
			}
		}
		if from > to || len(list)+to-from >= count {
			return nil, wrong()
		}
		for page := from; page <= to; page++ {
			list = append(list, page-1)
		}
	}
	return list, nil
}
