package op

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// nearest gives up to n of the known names that a wrong one may have meant, best first.
// Case and underscores do not count as differences.
func nearest(wrong string, known []string, n int) []string {
	type candidate struct {
		name  string
		score int
	}
	folded := fold(wrong)
	if utf8.RuneCountInString(folded) > 64 {
		return nil
	}
	limit := max(1, len(folded)/3)
	var near []candidate
	for _, name := range known {
		other := fold(name)
		score := distance(folded, other)
		if score > limit && len(folded) > 2 && (strings.HasPrefix(other, folded) || strings.HasPrefix(folded, other)) {
			score = limit
		}
		if score <= limit {
			near = append(near, candidate{name, score})
		}
	}
	slices.SortStableFunc(near, func(a, b candidate) int { return a.score - b.score })
	var names []string
	for _, c := range near[:min(n, len(near))] {
		names = append(names, c.name)
	}
	return names
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

// Nearest gives up to n JavaScript names that a wrong one may have meant, best first.
func (t Table) Nearest(name string, n int) []string {
	known := make([]string, len(t))
	for i := range t {
		known[i] = t[i].Name
	}
	return nearest(name, known, n)
}
