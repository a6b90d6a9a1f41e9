package op

import (
	"slices"
	"strings"
	"unicode"
)

// meanings group words that models and people use for the same thing.
var meanings = [][]string{
	{"delete", "remove", "rm", "unlink", "drop", "erase"},
	{"rename", "move", "mv"},
	{"copy", "cp", "duplicate", "clone"},
	{"read", "get", "load", "open", "cat", "fetch"},
	{"write", "put", "save", "store", "update", "set"},
	{"list", "ls", "dir", "glob", "keys", "all"},
	{"info", "stat", "metadata", "details", "describe"},
	{"search", "find", "grep", "match"},
	{"create", "new", "make", "add", "touch"},
	{"merge", "combine", "join", "concat"},
	{"split", "separate", "divide"},
	{"download", "fetch", "curl", "url", "http"},
	{"append", "push"},
	{"sql", "query", "select", "database", "db"},
	{"spreadsheet", "excel", "xlsx", "workbook", "csv", "sheet"},
	{"image", "picture", "photo", "png", "jpeg", "jpg"},
	{"text", "content"},
	{"bytes", "binary", "raw", "base64"},
	{"restore", "undo", "revert", "rollback"},
	{"versions", "history", "revisions"},
	{"resize", "scale", "thumbnail"},
	{"extract", "parse"},
	{"range", "cells"},
	{"keep", "remember", "persist", "state"},
}

// small words say nothing about an operation.
var small = []string{"a", "an", "the", "of", "to", "in", "on", "for", "from", "with", "and", "or", "i", "my", "is", "it", "how", "do", "can"}

// What a word is worth, by where it stands in an operation.
const (
	inName      = 12
	inSpace     = 8
	inSummary   = 4
	inArguments = 3
	inDetails   = 1
)

// Search finds operations by words, best first, as help("pdf merge") does. A word may
// stand for another of the same meaning, at half its worth; operations that miss words
// come after those that have them all, and weak ones are left out.
func (t Table) Search(words string) []*Operation {
	type hit struct {
		o     *Operation
		score int
	}
	asked := wordsOf(words)
	var hits []hit
	for i := range t {
		index := t[i].index()
		score, met := 0, 0
		for _, word := range asked {
			if worth := worthOf(word, index); worth > 0 {
				score += worth
				met++
			}
		}
		if met > 0 {
			hits = append(hits, hit{&t[i], score * met})
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return b.score - a.score })
	var best []*Operation
	for _, h := range hits {
		if h.score*4 >= hits[0].score {
			best = append(best, h.o)
		}
	}
	return best
}

// index gives the worth of every word of the operation, doubled so that halves are whole.
func (o *Operation) index() map[string]int {
	index := map[string]int{}
	add := func(text string, worth int) {
		for _, word := range wordsOf(text) {
			index[word] = max(index[word], 2*worth)
		}
	}
	add(o.own(), inName)
	add(o.Tool, inSpace)
	add(o.space(), inSpace)
	add(o.Doc.Summary, inSummary)
	for _, r := range o.argumentRows() {
		add(r.js+" "+r.doc, inArguments)
	}
	add(o.Doc.Details, inDetails)
	return index
}

func worthOf(word string, index map[string]int) int {
	best := index[word]
	for _, other := range synonyms(word) {
		best = max(best, index[other]/2)
	}
	if len(word) < 3 {
		return best
	}
	for known, worth := range index {
		if strings.HasPrefix(known, word) {
			best = max(best, worth/2)
		}
	}
	return best
}

// synonyms gives the other words of a word's meanings.
func synonyms(word string) []string {
	var others []string
	for _, group := range meanings {
		for _, member := range group {
			if stem(member) != word {
				continue
			}
			for _, other := range group {
				others = append(others, stem(other))
			}
			break
		}
	}
	return others
}

// wordsOf splits readText, file_read_text and plain prose into lower-case words.
func wordsOf(text string) []string {
	var words []string
	var word strings.Builder
	end := func() {
		if word.Len() > 0 && !slices.Contains(small, word.String()) {
			words = append(words, stem(word.String()))
		}
		word.Reset()
	}
	lower := false
	for _, r := range text {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			end()
			continue
		}
		if unicode.IsUpper(r) && lower {
			end()
		}
		lower = unicode.IsLower(r)
		word.WriteRune(unicode.ToLower(r))
	}
	end()
	return words
}

// stem takes the commonest endings off: sheets, merging, merged and merges are one word.
func stem(word string) string {
	for _, ending := range []string{"ing", "ed", "es", "s", "e"} {
		if short, ok := strings.CutSuffix(word, ending); ok && len(short) > 2 && !strings.HasSuffix(short, "s") {
			return short
		}
	}
	return word
}
