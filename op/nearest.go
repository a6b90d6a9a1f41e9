package op

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// longest is how long a wrong name may be for its neighbours to be looked for.
const longest = 64

// nearest gives up to n of the known names that a wrong one may have meant, best first.
// Case and underscores do not count as differences.
func nearest(wrong string, known []string, n int) []string {
	if utf8.RuneCountInString(wrong) > longest {
		return nil
	}
	limit := max(1, len(fold(wrong))/3) * unit
	return rank(known, n, limit, func(name string) int { return unlikeness(wrong, name) })
}

// Nearest gives up to n JavaScript names that a wrong one may have meant, best first:
// files.readText for files.readTxt, files.spreadsheet.readRange for spreadsheet.readRange,
// files.readText and files.readBytes for files.read, files.delete for fs.unlink.
func (t Table) Nearest(name string, n int) []string {
	if utf8.RuneCountInString(name) > longest || name == "" {
		return nil
	}
	known := make([]string, len(t))
	for i := range t {
		known[i] = t[i].Name
	}
	space, own := cutName(name)
	limit := min(4, 1+len(own)/3)*unit + 2 // what is short is near everything
	return rank(known, n, limit, func(candidate string) int {
		otherSpace, otherOwn := cutName(candidate)
		apart := t.spaceUnlikeness(space, otherSpace) + unlikeness(own, otherOwn)
		if len(name) > 4 {
			apart = min(apart, distance(fold(name), fold(candidate))*unit)
		}
		return apart
	})
}

// unit is the weight of one wrong letter.
const unit = 4

// rank orders names by how unlike they are and gives the first n within the limit.
func rank(known []string, n, limit int, unlike func(string) int) []string {
	type candidate struct {
		name  string
		score int
	}
	var near []candidate
	for _, name := range known {
		if score := unlike(name); score <= limit {
			near = append(near, candidate{name, score})
		}
	}
	slices.SortStableFunc(near, func(a, b candidate) int { return a.score - b.score })
	var names []string
	for _, c := range near[:min(n, len(near))] {
		if c.score <= near[0].score+2*unit { // far behind the best is not meant
			names = append(names, c.name)
		}
	}
	return names
}

// unlikeness tells how far two names without a namespace are apart: by letters, or by
// words, where one may be the beginning or a part of the other or mean the same.
func unlikeness(wrong, name string) int {
	a, b := fold(wrong), fold(name)
	best := distance(a, b) * unit
	if len(a) > 2 && len(b) > 2 && (strings.HasPrefix(b, a) || strings.HasPrefix(a, b)) {
		best = min(best, unit+1)
	}
	x, y := wordsOf(wrong), wordsOf(name)
	if len(x) == 0 || len(y) == 0 {
		return best
	}
	if len(y) == 1 && len(x) > 1 && x[len(x)-1] == y[0] {
		return min(best, unit) // a fontSize is a size, before it is a font
	}
	shared := 0
	for _, word := range x {
		if slices.Contains(y, word) {
			shared += 2
		} else if slices.ContainsFunc(synonyms(word), func(s string) bool { return slices.Contains(y, s) }) {
			shared++
		}
	}
	if shared == 0 {
		return best
	}
	missing := 2*max(len(x), len(y)) - shared // in half words
	return min(best, 2+missing*unit/2)
}

// NearestTools gives up to n tool names that a wrong one may have meant, best first.
func (t Table) NearestTools(name string, n int) []string {
	names := make([]string, len(t))
	for i := range t {
		names[i] = t[i].Tool
	}
	return nearest(name, names, n)
}

// spaceUnlikeness is small for a namespace without its outer one, and for a missing one.
func (t Table) spaceUnlikeness(wrong, space string) int {
	switch {
	case wrong == space:
		return 0
	case wrong != "" && strings.HasSuffix("."+space, "."+wrong):
		return 1
	case wrong == "":
		return 2 + strings.Count(space, ".")
	case strings.HasPrefix(space, wrong+".") || strings.HasPrefix(wrong, space+"."):
		return unit
	}
	if slices.Contains(t.spaces(), wrong) {
		return 3 * unit
	}
	return min(2*unit+strings.Count(space, "."), distance(fold(wrong), fold(space))*unit)
}

func cutName(name string) (space, own string) {
	dot := strings.LastIndexByte(name, '.')
	return name[:max(dot, 0)], name[dot+1:]
}

func fold(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }

// distance is the number of insertions, deletions, substitutions and swaps of neighbours
// that lead from a to b (optimal string alignment).
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	before, last, row := make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(x); i++ {
		row[0] = i
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(y)]
}
