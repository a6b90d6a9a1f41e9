package limits

// Receipt says what a run did and what it cost. Times are milliseconds, sizes bytes.
type Receipt struct {
	RunID        string         `json:"run_id"`
	Calls        map[string]int `json:"calls"`         // by operation, as named in JavaScript
	BytesRead    int64          `json:"bytes_read"`    // of files opened
	BytesWritten int64          `json:"bytes_written"` // of files written
	Files        []FileChange   `json:"files"`         // committed changes, ordered by name
	State        []string       `json:"state"`         // keys committed, ordered
	DBChanges    int64          `json:"db_changes"`    // rows of the agent's database inserted, updated or deleted
	Conflicts    []FileConflict `json:"conflicts"`     // changes of others that this run's were laid over
	PeakMemory   int64          `json:"peak_memory"`   // of the worker process while the run was in it, without the program itself, which all share
	CPUTime      float64        `json:"cpu_ms"`
	WallTime     float64        `json:"wall_ms"`
	QueueTime    float64        `json:"queue_ms"` // waited for a worker
}

// FileChange is one file as a run left it.
type FileChange struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Version int64  `json:"version"` // 0 if deleted
	Action  string `json:"action"`  // created, modified, renamed, deleted or restored
	Size    int64  `json:"size"`
}

// FileConflict says that a file changed between the run's first look at it and its
// commit. The run's version won; the other is kept as a version.
type FileConflict struct {
	ID            string `json:"id"`
	Name          string `json:"name"`
	LosingRun     string `json:"losing_run"` // the run whose version now lies below this run's
	LosingVersion int64  `json:"losing_version"`
}
