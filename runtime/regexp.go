package runtime

import (
	"time"

	"github.com/dlclark/regexp2/v2"
)

// BoundRegexps bounds each match of a regular expression with look-around or
// back-references, which nothing else can interrupt, for the whole process. It is to be
// called once, before the first Run, by a process that no other process kills.
//
// goja takes a match that ran out of time for one that found nothing. So the bound must
// be at least the longest time that a run may take: then the run's own limit ends it
// before it could act on that.
func BoundRegexps(limit time.Duration) { regexp2.DefaultMatchTimeout = limit }
