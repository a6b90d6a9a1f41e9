package typeset

import (
	"slices"

	"github.com/go-text/typesetting/bidi"
	"github.com/go-text/typesetting/shaping"
)

// levels tells for each character how deep it lies in texts of the other direction: even
// ones read from the left, odd ones from the right. It is nil if all read from the left.
func (s *Setter) levels(text []rune, rtl bool) []bidi.Level {
	direction := bidi.LeftToRight
	if rtl {
		direction = bidi.RightToLeft
	}
	runs := s.nesting.Segment(text, direction)
	if n := runs.NumRuns(); n == 0 || n == 1 && runs.Run(0).Level == 0 {
		return nil
	}
	levels := make([]bidi.Level, len(text))
	for i := range runs.NumRuns() {
		run := runs.Run(i)
		for at := run.Start; at < run.End; at++ {
			levels[at] = run.Level
		}
	}
	return levels
}

// inOrder puts what is on a line in its order from left to right: rule L2 of Unicode's
// bidirectional algorithm. The wrapper knows of two levels only, and a number within words
// from the right has a third.
func inOrder(outputs shaping.Line, levels []bidi.Level) shaping.Line {
	if levels == nil {
		return outputs
	}
	of := func(i int) bidi.Level { return levels[min(outputs[i].Runes.Offset, len(levels)-1)] }
	order := make([]int, len(outputs))
	deepest := bidi.Level(0)
	for i := range order {
		order[i] = i
		deepest = max(deepest, of(i))
	}
	for level := deepest; level > 0; level-- {
		for from := 0; from < len(order); from++ {
			to := from
			for to < len(order) && of(order[to]) >= level {
				to++
			}
			slices.Reverse(order[from:to])
			from = to
		}
	}
	ordered := make(shaping.Line, len(outputs))
	for i, at := range order {
		ordered[i] = outputs[at]
	}
	return ordered
}
