package event

import (
	"context"
	"fmt"
)

// Place is a number of the log, and what the log has around it.
type Place struct {
	Oldest int64 // the number of the oldest event that is kept, of whatever workspace; Last+1 if none is
	Last   int64 // the greatest number so far; 0 if there is none
	Held   bool  // the event with the number, or the one that follows it at once, is kept
}

// Lost says that the log cannot tell what came after an event: those that followed it were
// removed for their age, or it is of a log that was replaced by a backup of it. Whoever asked
// must look anew at what it knows from events, and can then go on after Resume.
type Lost struct {
	After  int64 `json:"after"`  // what it asked to go on after
	Oldest int64 `json:"oldest"` // as of Place
	Last   int64 `json:"last"`
}

// Error implements error.
func (l *Lost) Error() string {
	return fmt.Sprintf("event: the log cannot go on after %d; it has %d to %d", l.After, l.Oldest, l.Last)
}

// Resume is where to go on: before the oldest event if what was missed was too old, or else
// at the end of the log.
func (l *Lost) Resume() int64 {
	if l.After < l.Oldest {
		return l.Oldest - 1
	}
	return l.Last
}

// lost tells whether a log can go on after an event that somebody has; 0 is the beginning of
// what is kept.
func lost(ctx context.Context, source Source, after int64) error {
	if after <= 0 {
		return nil
	}
	p, err := source.Place(ctx, after)
	if err != nil || p.Held || after == p.Last {
		return err
	}
	return &Lost{after, p.Oldest, p.Last}
}

// removed tells whether events after a place that a follower has reached have gone since.
func removed(ctx context.Context, source Source, after int64) error {
	if after <= 0 {
		return nil
	}
	p, err := source.Place(ctx, after)
	if err == nil && after < p.Oldest-1 {
		err = &Lost{after, p.Oldest, p.Last}
	}
	return err
}
