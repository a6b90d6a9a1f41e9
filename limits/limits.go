// Package limits holds what a run may use and what it did use: the table of
// limits, and the receipt.
//
// Imports problem and nothing else of this module. Start reading at Limits.
package limits

import "time"

const (
	// KB, MB and GB are powers of two.
	KB = int64(1) << 10
	MB = int64(1) << 20
	GB = int64(1) << 30
)

// Limits is what one run, its worker and its workspace may use. A zero field means
// the default; no field can switch a limit off.
type Limits struct {
	WallTime      time.Duration `json:"wall_time"`      // wall clock of a run. Defaults to 30 s.
	CPUTime       time.Duration `json:"cpu_time"`       // CPU time of a run. Defaults to 20 s.
	Memory        int64         `json:"memory"`         // bytes of a worker process. Defaults to 512 MB.
	HostCalls     int           `json:"host_calls"`     // operations called by a run. Defaults to 10,000.
	ConsoleBytes  int64         `json:"console_bytes"`  // captured console text, then cut with a marker. Defaults to 64 KB.
	ResultBytes   int64         `json:"result_bytes"`   // JSON of a run's result. Defaults to 1 MB.
	ScriptBytes   int64         `json:"script_bytes"`   // source text of a script. Defaults to 1 MB.
	FileBytes     int64         `json:"file_bytes"`     // one file. Defaults to 50 MB.
	WorkspaceSize int64         `json:"workspace_size"` // all files of a workspace, versions included, each content once. Defaults to 1 GB.
	Files         int           `json:"files"`          // of a workspace. Defaults to 50,000: a listing of twice as many is more than a worker takes.
	Versions      int           `json:"versions"`       // of all files of a workspace, deleted ones too. Defaults to 500,000.
	StateBytes    int64         `json:"state_bytes"`    // all state of a workspace. Defaults to 16 MB.
	SQLRows       int           `json:"sql_rows"`       // rows of one db.sql answer, then truncated. Defaults to 1,000.
	SQLTime       time.Duration `json:"sql_time"`       // one SQL statement. Defaults to 10 s.
	DBBytes       int64         `json:"db_bytes"`       // the agent's database. Defaults to 256 MB.
	Pixels        int64         `json:"pixels"`         // width × height × frames of an image. Defaults to 100 million.
	PDFPages      int           `json:"pdf_pages"`      // pages of a PDF. Defaults to 5,000.
	InflatedBytes int64         `json:"inflated_bytes"` // a workbook's parts, inflated. Defaults to 512 MB.
}

// Default is the table of defaults.
func Default() Limits {
	return Limits{
		WallTime:      30 * time.Second,
		CPUTime:       20 * time.Second,
		Memory:        512 * MB,
		HostCalls:     10_000,
		ConsoleBytes:  64 * KB,
		ResultBytes:   1 * MB,
		ScriptBytes:   1 * MB,
		FileBytes:     50 * MB,
		WorkspaceSize: 1 * GB,
		Files:         50_000,
		Versions:      500_000,
		StateBytes:    16 * MB,
		SQLRows:       1_000,
		SQLTime:       10 * time.Second,
		DBBytes:       256 * MB,
		Pixels:        100_000_000,
		PDFPages:      5_000,
		InflatedBytes: 512 * MB,
	}
}

// Or gives l with every field that is zero or negative taken from base.
func (l Limits) Or(base Limits) Limits {
	pick(&l.WallTime, base.WallTime)
	pick(&l.CPUTime, base.CPUTime)
	pick(&l.Memory, base.Memory)
	pick(&l.HostCalls, base.HostCalls)
	pick(&l.ConsoleBytes, base.ConsoleBytes)
	pick(&l.ResultBytes, base.ResultBytes)
	pick(&l.ScriptBytes, base.ScriptBytes)
	pick(&l.FileBytes, base.FileBytes)
	pick(&l.WorkspaceSize, base.WorkspaceSize)
	pick(&l.Files, base.Files)
	pick(&l.Versions, base.Versions)
	pick(&l.StateBytes, base.StateBytes)
	pick(&l.SQLRows, base.SQLRows)
	pick(&l.SQLTime, base.SQLTime)
	pick(&l.DBBytes, base.DBBytes)
	pick(&l.Pixels, base.Pixels)
	pick(&l.PDFPages, base.PDFPages)
	pick(&l.InflatedBytes, base.InflatedBytes)
	return l
}

func pick[T int | int64 | time.Duration](field *T, base T) {
	if *field <= 0 {
		*field = base
	}
}

// Within gives l with every field held to at most max's: what a caller may ask for.
func (l Limits) Within(max Limits) Limits {
	l = l.Or(max)
	clip(&l.WallTime, max.WallTime)
	clip(&l.CPUTime, max.CPUTime)
	clip(&l.Memory, max.Memory)
	clip(&l.HostCalls, max.HostCalls)
	clip(&l.ConsoleBytes, max.ConsoleBytes)
	clip(&l.ResultBytes, max.ResultBytes)
	clip(&l.ScriptBytes, max.ScriptBytes)
	clip(&l.FileBytes, max.FileBytes)
	clip(&l.WorkspaceSize, max.WorkspaceSize)
	clip(&l.Files, max.Files)
	clip(&l.Versions, max.Versions)
	clip(&l.StateBytes, max.StateBytes)
	clip(&l.SQLRows, max.SQLRows)
	clip(&l.SQLTime, max.SQLTime)
	clip(&l.DBBytes, max.DBBytes)
	clip(&l.Pixels, max.Pixels)
	clip(&l.PDFPages, max.PDFPages)
	clip(&l.InflatedBytes, max.InflatedBytes)
	return l
}

func clip[T int | int64 | time.Duration](field *T, max T) {
	if *field > max {
		*field = max
	}
}
