package workspace

import (
	"github.com/uptrace/bun"

	"github.com/sandboxd/sandboxd/host"
)

// The rows of the metadata; migrations/ has the meaning of each column. They are also what
// a redo record is made of, hence the json tags.

type fileRow struct {
	bun.BaseModel `bun:"table:agent_files,alias:f" json:"-"`

	ID              string `bun:"_id,pk" json:"id"`
	Name            string `bun:"name" json:"name"`
	MimeType        string `bun:"mime_type" json:"mime"`
	Size            int64  `bun:"size" json:"size"`
	DiskPath        string `bun:"disk_path" json:"path"`
	Source          string `bun:"source" json:"source"`
	SourceSessionID string `bun:"source_session_id" json:"session"`
	CreatedOn       string `bun:"created_on" json:"created"`
	ModifiedOn      string `bun:"modified_on" json:"modified"`
	Workspace       string `bun:"workspace" json:"ws"`
	Version         int64  `bun:"version" json:"version"`
	Hash            string `bun:"hash" json:"hash"`
	DeletedOn       string `bun:"deleted_on" json:"deleted"`
}

// fileColumns are those that columns scans.
const fileColumns = "_id, name, mime_type, size, disk_path, source, source_session_id, created_on, modified_on, workspace, version, hash, deleted_on"

func (f *fileRow) columns() []any {
	return []any{&f.ID, &f.Name, &f.MimeType, &f.Size, &f.DiskPath, &f.Source, &f.SourceSessionID, &f.CreatedOn, &f.ModifiedOn,
		&f.Workspace, &f.Version, &f.Hash, &f.DeletedOn}
}

func (f *fileRow) file() host.File {
	return host.File{ID: f.ID, Name: f.Name, Size: f.Size, MimeType: f.MimeType, Source: f.Source, SourceSessionID: f.SourceSessionID,
		CreatedOn: f.CreatedOn, ModifiedOn: f.ModifiedOn, Version: f.Version, Hash: f.Hash}
}

type versionRow struct {
	bun.BaseModel `bun:"table:agent_file_versions,alias:v" json:"-"`

	FileID     string `bun:"file_id,pk" json:"id"`
	Version    int64  `bun:"version,pk" json:"version"`
	Workspace  string `bun:"workspace" json:"ws"`
	Name       string `bun:"name" json:"name"`
	MimeType   string `bun:"mime_type" json:"mime"`
	Size       int64  `bun:"size" json:"size"`
	Hash       string `bun:"hash" json:"hash"`
	Action     string `bun:"action" json:"action"`
	RunID      string `bun:"run_id" json:"run"`
	ModifiedOn string `bun:"modified_on" json:"modified"`
}

func (v *versionRow) version() host.Version {
	return host.Version{Version: v.Version, Name: v.Name, Size: v.Size, MimeType: v.MimeType, Hash: v.Hash, Action: v.Action,
		RunID: v.RunID, ModifiedOn: v.ModifiedOn}
}

// What a version did to its file.
const (
	actionCreated  = "created"
	actionModified = "modified"
	actionRenamed  = "renamed"
	actionDeleted  = "deleted"
	actionRestored = "restored"
)

type blobRow struct {
	bun.BaseModel `bun:"table:blobs,alias:b" json:"-"`

	Hash      string `bun:"hash,pk" json:"hash"`
	Size      int64  `bun:"size" json:"size"`
	Data      []byte `bun:"data" json:"data"` // nil: in files/
	CreatedOn string `bun:"created_on" json:"created"`
}

type workspaceBlobRow struct {
	bun.BaseModel `bun:"table:workspace_blobs,alias:wb"`

	Workspace string `bun:"workspace,pk"`
	Hash      string `bun:"hash,pk"`
	Size      int64  `bun:"size"`
}

type workspaceRow struct {
	bun.BaseModel `bun:"table:workspaces,alias:w"`

	Workspace    string `bun:"workspace,pk"`
	FileBytes    int64  `bun:"file_bytes"`
	StateBytes   int64  `bun:"state_bytes"`
	HistoryBytes int64  `bun:"history_bytes"`
	HistoryFrom  int64  `bun:"history_from"`
	Files        int64  `bun:"files"`    // that are there
	Versions     int64  `bun:"versions"` // of files, deleted ones too
}

type stateRow struct {
	bun.BaseModel `bun:"table:agent_state,alias:s"`

	Workspace  string `bun:"workspace,pk"`
	Key        string `bun:"key,pk"`
	Value      string `bun:"value"`
	Seq        int64  `bun:"seq"`
	ModifiedOn string `bun:"modified_on"`
}

type stateChangeRow struct {
	bun.BaseModel `bun:"table:agent_state_changes,alias:c"`

	Workspace string  `bun:"workspace,pk"`
	Seq       int64   `bun:"seq,pk"`
	Key       string  `bun:"key,pk"`
	RunID     string  `bun:"run_id"`
	Before    *string `bun:"before"`
	After     *string `bun:"after"`
}

// What became of a run.
const (
	StatusRunning = "running"
	StatusOK      = "ok"
	StatusFailed  = "failed"
)

type runRow struct {
	bun.BaseModel `bun:"table:runs,alias:r" json:"-"`

	ID          string `bun:"id,pk" json:"id"`
	Workspace   string `bun:"workspace" json:"ws"`
	SessionID   string `bun:"session_id" json:"session"`
	Kind        string `bun:"kind" json:"kind"`
	Name        string `bun:"name" json:"name"`
	Tool        string `bun:"tool" json:"tool"`
	ScriptHash  string `bun:"script_hash" json:"script"`
	Status      string `bun:"status" json:"status"`
	ErrorCode   string `bun:"error_code" json:"code"`
	Error       string `bun:"error" json:"error"`
	Receipt     string `bun:"receipt" json:"receipt"`
	ResultBytes int64  `bun:"result_bytes" json:"result"`
	Result      string `bun:"result" json:"answer,omitempty"` // JSON, if it is kept
	StartedOn   string `bun:"started_on" json:"started"`
	FinishedOn  string `bun:"finished_on" json:"finished"`
	Seq         int64  `bun:"seq" json:"-"` // given when the row is written
	Undoes      string `bun:"undoes" json:"undoes"`
	UndoneBy    string `bun:"undone_by" json:"-"`
	DBChanged   int64  `bun:"db_changed" json:"db"`
	DBChangeset string `bun:"db_changeset" json:"changeset"`
	DBReason    string `bun:"db_reason" json:"reason"`
	TokenID     string `bun:"token_id" json:"token"`
	Caller      string `bun:"caller" json:"caller"`
	Via         string `bun:"via" json:"via"`
}

type eventRow struct {
	bun.BaseModel `bun:"table:events,alias:e" json:"-"`

	Seq       int64  `bun:"seq,pk" json:"-"` // given when the row is written
	Workspace string `bun:"workspace" json:"ws"`
	SessionID string `bun:"session_id" json:"session"`
	RunID     string `bun:"run_id" json:"run"`
	Type      string `bun:"type" json:"type"`
	Payload   string `bun:"payload" json:"payload"`
	CreatedOn string `bun:"created_on" json:"on"`
}

type agentOpenRow struct {
	bun.BaseModel `bun:"table:agent_open,alias:o"`

	Workspace string `bun:"workspace,pk"`
	OpenedOn  string `bun:"opened_on"`
}

// secretRow is a key that the host made for itself.
type secretRow struct {
	bun.BaseModel `bun:"table:secrets,alias:k"`

	Name  string `bun:"name,pk"`
	Value string `bun:"value"` // hex
}
