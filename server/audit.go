package server

import (
	"encoding/json"
	"net/http"

	"github.com/sandboxd/sandboxd/access"
	"github.com/sandboxd/sandboxd/audit"
)

type auditList struct {
	Records []audit.Record `json:"records"`
	Next    int64          `json:"next"` // what to send as before for the next page; 0 if there is none
}

type auditScript struct {
	Hash   string `json:"hash"`
	Source string `json:"source"`
}

var auditFilters = []parameter{
	{"caller", text, false, "Only what this token did, by its id or name."},
	{"action", text, false, "Only script, tool, upload, download, delete, rename, restore, undo, cancel, token_create, token_revoke, gc or backup."},
	{"code", text, false, "Only what ended with ok, with failed for all else, or with one error code."},
	{"session_id", text, false, "Only what belongs to this session."},
	{"run", text, false, "Only the run with this id."},
	{"file", text, false, "Only what read or changed the file with this id."},
	{"since", text, false, "Only what began then or later, as 2026-01-31T12:00:00Z."},
	{"until", text, false, "Only what began before."},
}

func (s *server) auditRoutes() []route {
	return []route{
		gives(route{method: "GET", path: "/api/audit", id: "listAudit", tag: "audit", scopes: ruling, summary: "List who did what, the latest first.",
			details: "With a token for all workspaces it lists all of them, or one that is asked for.",
			query: append([]parameter{{"limit", counted, false, "How many, at most 1,000. Defaults to 100."},
				{"before", counted, false, "Only records before this one: the way to page, with the last page's next."}}, auditFilters...)}, s.listAudit),
		{method: "GET", path: "/api/audit/export", id: "exportAudit", tag: "audit", scopes: ruling, streams: true, summary: "Export who did what, the oldest first, a JSON object on each line.",
			query:   append([]parameter{{"after", counted, false, "Only records after this one, by its seq: the way to go on with an export."}}, auditFilters...),
			answers: []content{{status: 200, doc: "Records.", media: "application/x-ndjson"}}, serve: s.exportAudit},
		gives(route{method: "GET", path: "/api/audit/scripts/{hash}", id: "getAuditScript", tag: "audit", scopes: ruling, summary: "The source of a script, by the hash that a record has."}, s.showScript),
	}
}

// auditWorkspace is the one that the request may see, "" for all.
func auditWorkspace(r *http.Request) string {
	if a := askedOf(r); a.caller.Workspace != access.Everywhere {
		return a.workspace
	}
	return textOf(r, workspaceParameter.name)
}

func auditQuery(r *http.Request) audit.Query {
	return audit.Query{Workspace: auditWorkspace(r), Caller: textOf(r, "caller"), Action: textOf(r, "action"), Code: textOf(r, "code"),
		SessionID: textOf(r, "session_id"), RunID: textOf(r, "run"), File: textOf(r, "file"), Since: textOf(r, "since"), Until: textOf(r, "until")}
}

func (s *server) listAudit(r *http.Request) (auditList, error) {
	q := auditQuery(r)
	if q.Limit = int(min(countOf(r, "limit"), 1000)); q.Limit == 0 {
		q.Limit = 100
	}
	q.Before = countOf(r, "before")
	records, err := s.Host.Audit(r.Context(), q)
	list := auditList{Records: records}
	if n := len(records); n == q.Limit {
		list.Next = records[n-1].Seq
	}
	return list, err
}

// exportAudit streams all records, page by page, as long as the client reads.
func (s *server) exportAudit(w http.ResponseWriter, r *http.Request) error {
	q := auditQuery(r)
	q.Limit, q.After, q.Oldest = 1000, countOf(r, "after"), true
	records, err := s.Host.Audit(r.Context(), q)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/x-ndjson")
	out := &steady{ResponseWriter: w, conn: http.NewResponseController(w), pause: s.ReadPause, sent: s.metrics.sent}
	for len(records) > 0 {
		var page []byte
		for i := range records {
			line, err := json.Marshal(records[i])
			if err != nil {
				return err
			}
			page = append(append(page, line...), '\n')
		}
		if _, err := out.Write(page); err != nil {
			return nil // the client has gone
		}
		q.After = records[len(records)-1].Seq
		if records, err = s.Host.Audit(r.Context(), q); err != nil {
			panic(http.ErrAbortHandler) // an end in the middle must not look like the end
		}
	}
	return nil
}

func (s *server) showScript(r *http.Request) (auditScript, error) {
	source, err := s.Host.AuditScript(r.Context(), auditWorkspace(r), r.PathValue("hash"))
	return auditScript{r.PathValue("hash"), source}, err
}
