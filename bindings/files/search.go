package files

import (
	"context"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/sandboxd/sandboxd/bindings/files/pattern"
	"github.com/sandboxd/sandboxd/bindings/files/text"
	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/problem"
)

const (
	maxMatches  = 1_000 // the default, per call
	maxLineText = 500   // characters of a line in an answer
)

type searchTextIn struct {
	ID      string `json:"id" doc:"File id or name"`
	Pattern string `json:"pattern" doc:"Regular expression in RE2 syntax, matched against each line"`
	Options struct {
		IgnoreCase bool `json:"ignore_case,omitempty" doc:"Match upper and lower case alike"`
		Max        int  `json:"max,omitempty" min:"1" max:"10000" doc:"Most matches to answer. Defaults to 1000."`
		Context    int  `json:"context,omitempty" min:"0" max:"10" doc:"Lines before and after each match to add as before and after"`
	} `op:"options"`
}

type lineMatch struct {
	Line    int      `json:"line" doc:"1-based"`
	Content string   `json:"content" doc:"The line. Of one longer than 500 characters, the part around the match, cut ends marked …"`
	Before  []string `json:"before,omitempty" doc:"Lines before it, with the option context"`
	After   []string `json:"after,omitempty" doc:"Lines after it, with the option context"`
}

type searchTextOut struct {
	Matches   []lineMatch `json:"matches" doc:"Matching lines, in order"`
	Truncated bool        `json:"truncated" doc:"There are more matches than max"`
}

func searchText(ctx context.Context, env *op.Env, in searchTextIn) (out searchTextOut, err error) {
	s, err := newSearch(in.Pattern, in.Options.IgnoreCase, in.Options.Max)
	if err != nil {
		return out, err
	}
	s.context = in.Options.Context
	err = view(ctx, env, in.ID, 0, true, func(file host.File, b *text.Buffer) error {
		if err := s.in(ctx, b); err != nil {
			return failedTo("read", file.Name, err)
		}
		return nil
	})
	return searchTextOut{Matches: s.matches, Truncated: s.truncated}, err
}

type searchIn struct {
	Pattern string `json:"pattern" doc:"Regular expression in RE2 syntax, matched against each line"`
	Options struct {
		Glob       string `json:"glob,omitempty" doc:"Search only files whose name matches, such as \"**/*.md\". Defaults to all."`
		IgnoreCase bool   `json:"ignore_case,omitempty" doc:"Match upper and lower case alike"`
		Max        int    `json:"max,omitempty" min:"1" max:"10000" doc:"Most matches to answer. Defaults to 1000."`
	} `op:"options"`
}

type fileMatch struct {
	ID      string `json:"id" doc:"The file's id"`
	Name    string `json:"name" doc:"The file's name"`
	Line    int    `json:"line" doc:"1-based"`
	Content string `json:"content" doc:"The line. Of one longer than 500 characters, the part around the match, cut ends marked …"`
}

type searchOut struct {
	Matches   []fileMatch `json:"matches" doc:"Matching lines, by file name and line"`
	Files     int         `json:"files" doc:"Text files searched"`
	Skipped   int         `json:"skipped" doc:"Files that are not text"`
	Truncated bool        `json:"truncated" doc:"There are more matches than max; files that come later were not searched"`
}

func search(ctx context.Context, env *op.Env, in searchIn) (searchOut, error) {
	out := searchOut{Matches: []fileMatch{}}
	s, err := newSearch(in.Pattern, in.Options.IgnoreCase, in.Options.Max)
	if err != nil {
		return out, err
	}
	list, err := env.Direct.List(ctx, in.Options.Glob)
	if err != nil {
		return out, err
	}
	for _, file := range list {
		err := view(ctx, env, file.ID, 0, true, func(_ host.File, b *text.Buffer) error { return s.in(ctx, b) })
		switch {
		case problem.CodeOf(err) == problem.NotText:
			out.Skipped++
			continue
		case problem.CodeOf(err) == problem.NotFound: // deleted by another call meanwhile
			continue
		case err != nil:
			return out, failedTo("read", file.Name, err)
		}
		out.Files++
		for _, m := range s.matches[len(out.Matches):] {
			out.Matches = append(out.Matches, fileMatch{file.ID, file.Name, m.Line, m.Content})
		}
		if s.truncated {
			break
		}
	}
	out.Truncated = s.truncated
	return out, nil
}

// lineSearch collects the lines that match, up to a number, from one text or several.
type lineSearch struct {
	pattern   *regexp.Regexp
	max       int
	context   int
	matches   []lineMatch
	truncated bool
}

func newSearch(text string, ignoreCase bool, limit int) (*lineSearch, error) {
	re, err := pattern.Compile(text, ignoreCase)
	if limit == 0 {
		limit = maxMatches
	}
	return &lineSearch{pattern: re, max: limit, matches: []lineMatch{}}, err
}

// in adds the matches of one text.
func (s *lineSearch) in(ctx context.Context, b *text.Buffer) error {
	var before []string // the last few lines
	first := len(s.matches)
	return b.EachLine(ctx, func(number int, line []byte) bool {
		if s.context > 0 {
			shown := cutLine(line, 0)
			s.follow(first, number, shown)
			defer func() {
				before = append(before, shown)
				before = before[max(0, len(before)-s.context):]
			}()
		}
		at := s.pattern.FindIndex(line)
		if at == nil {
			// With max reached, lines are still needed that follow the last match.
			return true
		}
		if len(s.matches) == s.max {
			s.truncated = true
			return false
		}
		s.matches = append(s.matches, lineMatch{
			Line: number, Content: cutLine(line, at[0]), Before: append([]string(nil), before...)})
		return true
	})
}

// follow adds a line to the matches just before it.
func (s *lineSearch) follow(first, number int, line string) {
	for i := len(s.matches) - 1; i >= first && number-s.matches[i].Line <= s.context; i-- {
		s.matches[i].After = append(s.matches[i].After, line)
	}
}

// cutLine gives a line for an answer: whole, or the part around the byte from.
func cutLine(line []byte, from int) string {
	if len(line) <= maxLineText || utf8.RuneCount(line) <= maxLineText {
		return strings.ToValidUTF8(string(line), "\uFFFD")
	}
	start := from // a quarter of the room for what stands in front of the match
	for n := 0; n < maxLineText/4 && start > 0; n++ {
		_, size := utf8.DecodeLastRune(line[:start])
		start -= size
	}
	end := start
	for n := 0; n < maxLineText && end < len(line); n++ {
		_, size := utf8.DecodeRune(line[end:])
		end += size
	}
	shown := strings.ToValidUTF8(string(line[start:end]), "\uFFFD")
	if start > 0 {
		shown = "…" + shown
	}
	if end < len(line) {
		shown += "…"
	}
	return shown
}
