package worker

import (
	"encoding/json"

	"github.com/sandboxd/sandboxd/engine"
	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/problem"
	"github.com/sandboxd/sandboxd/runtime"
)

// What the daemon and a child say to each other beside host calls.
const (
	envSettings   = "SANDBOXD_WORKER"
	noticeReady   = "ready"
	methodRun     = "run"
	methodAgentDB = "agentdb"
	methodEngines = "engines"
	socketFD      = 3
)

// Roles of a process.
const (
	roleScript = "script"
	roleSQL    = "sql"
	roleProbe  = "probe" // of Doctor
	roleWarm   = "warm"  // fills the engines' cache, and ends
)

// settings come to a child in its environment, because they are needed before it is
// hardened and it reads frames only after that.
type settings struct {
	Role   string        `json:"role"`
	Limits limits.Limits `json:"limits"`
	Dir    string        `json:"dir,omitempty"` // of the database, for the role sql
	// Engines are where the libraries outside the binary lie, for the roles script and warm.
	Engines engine.Places `json:"engines,omitzero"`
	// NoSeccomp leaves system calls free, so that Doctor can tell the other layers apart.
	NoSeccomp bool `json:"no_seccomp,omitempty"`
}

// ready is a child's notice that it can take work.
type ready struct {
	Layers []Layer `json:"layers"` // those that the child itself put on
}

// runRequest is one job.
type runRequest struct {
	Limits *limits.Limits  `json:"limits,omitempty"` // if they are not the process's
	Script *runtime.Script `json:"script,omitempty"`
	Call   *ToolCall       `json:"call,omitempty"`
}

// runAnswer is what became of it.
type runAnswer struct {
	Result json.RawMessage `json:"result,omitempty"`
	Error  *problem.Error  `json:"error,omitempty"`
	Logs   []host.LogLine  `json:"logs,omitempty"`
	Calls  map[string]int  `json:"calls,omitempty"`
	// Spent says that work of the run goes on that cannot be stopped, or that the process has
	// taken more than it may have.
	Spent bool `json:"spent,omitempty"`
}
