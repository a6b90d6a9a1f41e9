package workspace

import (
	"time"
)

const day = 24 * time.Hour

// Retention says how long what is no longer current is kept. The current version of a file
// and what the agent's database holds are kept whatever it says. A zero field means its
// default, a negative one for ever.
type Retention struct {
	Versions time.Duration `json:"versions"` // of a file, since the next one was made or the file was deleted. Defaults to 90 days.
	Kept     int           `json:"kept"`     // versions of a file at most, the current one included. Defaults to any number.
	Undo     time.Duration `json:"undo"`     // runs can be undone for that long, whatever the others say. Defaults to 7 days.
	Runs     time.Duration `json:"runs"`     // records of runs, since their end. Defaults to 90 days.
	Events   time.Duration `json:"events"`   // of the log. Defaults to 30 days.
	Audit    time.Duration `json:"audit"`    // records of who did what. Defaults to 365 days.
}

// withDefaults gives r with its defaults, and consistent: nothing that an undo needs goes
// before the time to undo is over.
func (r Retention) withDefaults() Retention {
	for field, def := range map[*time.Duration]time.Duration{
		&r.Versions: 90 * day, &r.Undo: 7 * day, &r.Runs: 90 * day, &r.Events: 30 * day, &r.Audit: 365 * day} {
		if *field == 0 {
			*field = def
		}
	}
	for _, field := range []*time.Duration{&r.Versions, &r.Runs} {
		if *field >= 0 && (r.Undo < 0 || *field < r.Undo) {
			*field = r.Undo
		}
	}
	return r
}

// before is the time before which something is too old; "", which is before all, if it
// never is.
func before(now time.Time, age time.Duration) string {
	if age < 0 {
		return ""
	}
	return now.Add(-age).UTC().Format(timeFormat)
}

// Collected is what a collection removed, or would remove.
type Collected struct {
	Versions int64 `json:"versions"`
	Files    int64 `json:"files"` // deleted ones, with their last version
	Runs     int64 `json:"runs"`
	Events   int64 `json:"events"`
	Audit    int64 `json:"audit"`
	Scripts  int64 `json:"scripts"` // sources that no audit record names any more
	Blobs    int   `json:"blobs"`   // contents that nothing needs any more
	Bytes    int64 `json:"bytes"`   // of them
}

// Any says whether anything was removed.
func (c Collected) Any() bool { return c != Collected{} }
