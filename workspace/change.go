package workspace

// change is all that a run's commit writes, resolved against what is there: no decision is
// left, so that it can be written again after a crash and comes out the same. It is the
// redo record of a run that also wrote to the agent's database.
type change struct {
	Run      runRow        `json:"run"`
	Started  []eventRow    `json:"started"` // goes first, unless it is written already
	Events   []eventRow    `json:"events"`
	Audit    []auditRow    `json:"audit"`    // one
	Files    []fileRow     `json:"files"`    // as they are afterwards
	Moved    bool          `json:"moved"`    // names change hands among Files
	Grown    int64         `json:"grown"`    // by how many files there are more
	Versions []versionRow  `json:"versions"` // one for each of Files
	Blobs    []blobRow     `json:"blobs"`    // that may be new
	State    []stateChange `json:"state"`
	// Undone says, of the run that this one undoes and of those that that one undid in its
	// turn, by which run each is undone from now on; "" for none.
	Undone map[string]string `json:"undone"`
}

type stateChange struct {
	Key    string  `json:"key"`
	Before *string `json:"before"` // nil: none
	After  *string `json:"after"`
}

func (c stateChange) delta() int64 {
	return c.bytes(c.After) - c.bytes(c.Before)
}

func (c stateChange) bytes(value *string) int64 {
	if value == nil {
		return 0
	}
	return int64(len(c.Key) + len(*value))
}

// history is what the change takes in agent_state_changes.
func (c stateChange) history() int64 {
	n := int64(len(c.Key))
	for _, value := range []*string{c.Before, c.After} {
		if value != nil {
			n += int64(len(*value))
		}
	}
	return n
}

// empty says that nothing but the run's record is to be written.
func (c *change) empty() bool {
	return len(c.Files) == 0 && len(c.State) == 0 && len(c.Undone) == 0
}
