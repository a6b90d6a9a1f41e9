package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/audit"
)

type auditCmd struct {
	Ls     auditLsCmd     `cmd:"" help:"List who did what, the latest first."`
	Export auditExportCmd `cmd:"" help:"Print who did what as JSONL, the oldest first."`
	Script auditScriptCmd `cmd:"" help:"Print the source of a script that was run, by its hash."`
}

// auditFlags choose records.
type auditFlags struct {
	Workspace string `help:"Only of this workspace." placeholder:"NAME"`
	Caller    string `help:"Only what this token or user did, by id or name." placeholder:"WHO"`
	Action    string `help:"Only script, tool, upload, download, delete, rename, restore, undo, cancel, token_create, token_revoke, gc or backup." placeholder:"ACTION"`
	Code      string `help:"Only what ended with ok, with failed for all else, or with one error code." placeholder:"CODE"`
	Session   string `help:"Only of this session." placeholder:"ID"`
	Run       string `help:"Only of the run with this id." placeholder:"ID"`
	File      string `help:"Only what read or changed the file with this id." placeholder:"ID"`
	Since     string `help:"Only what began then or later, such as 2026-01-31T12:00:00Z." placeholder:"TIME"`
	Until     string `help:"Only what began before." placeholder:"TIME"`
	folderFlag
}

func (f *auditFlags) query() audit.Query {
	return audit.Query{Workspace: f.Workspace, Caller: f.Caller, Action: f.Action, Code: f.Code, SessionID: f.Session, RunID: f.Run, File: f.File,
		Since: f.Since, Until: f.Until}
}

// parameters are the same for a server; more are pairs.
func (f *auditFlags) parameters(more ...string) string {
	q := url.Values{}
	for name, value := range map[string]string{"workspace": f.Workspace, "caller": f.Caller, "action": f.Action, "code": f.Code, "session_id": f.Session,
		"run": f.Run, "file": f.File, "since": f.Since, "until": f.Until} {
		if value != "" {
			q.Set(name, value)
		}
	}
	for i := 0; i < len(more); i += 2 {
		q.Set(more[i], more[i+1])
	}
	return q.Encode()
}

type auditLsCmd struct {
	Limit int  `short:"n" help:"How many, at most 1000." default:"20"`
	JSON  bool `help:"Print JSON: {records: [...]}."`
	auditFlags
}

func (c *auditLsCmd) Run(a *app) error {
	var list struct {
		Records []audit.Record `json:"records"`
	}
	limit := max(1, min(c.Limit, 1000))
	err := c.with(a, func(h *sandboxd.Host) (err error) {
		q := c.query()
		q.Limit = limit
		list.Records, err = h.Audit(a.ctx, q)
		return err
	}, func(server *running) error {
		return server.call("GET", "/api/audit?"+c.parameters("limit", strconv.Itoa(limit)), nil, &list)
	})
	if err != nil {
		return err
	}
	if c.JSON {
		return a.printJSON(list)
	}
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	for _, r := range list.Records {
		fmt.Fprintf(w, "%s\t%s\t%s %s\t%s\t%s\t%s\t%.1f ms\n", r.Time, r.Workspace, r.Who.Via, cell(r.Who.Name), r.Action, r.Code, cell(aboutWhat(r)), r.DurationMs)
	}
	return w.Flush()
}

// aboutWhat is the name of what something was done to, and the files.
func aboutWhat(r audit.Record) string {
	words := []string{}
	if r.Name != "" {
		words = append(words, r.Name)
	}
	for i, f := range r.Files {
		if i == 3 {
			words = append(words, fmt.Sprintf("and %d more", len(r.Files)-3+r.FilesMore))
			break
		}
		if f.Name != r.Name {
			words = append(words, f.Name)
		}
	}
	return strings.Join(words, " ")
}

type auditExportCmd struct {
	After int64 `help:"Only records after this one, by its seq: the way to go on with an export." placeholder:"SEQ"`
	auditFlags
}

// Help is shown below the summary.
func (auditExportCmd) Help() string {
	return `Each line is a record: {seq, time, workspace, session_id, who, action, name, run_id, script_hash, code, files, calls,
bytes_in, bytes_out, duration_ms, …}. To go on later, keep the last line's seq:

  sandboxd audit export > audit.jsonl
  sandboxd audit export --after 1234 >> audit.jsonl`
}

func (c *auditExportCmd) Run(a *app) error {
	return c.with(a, func(h *sandboxd.Host) error {
		q := c.query()
		q.Oldest, q.After, q.Limit = true, c.After, 1000
		out := json.NewEncoder(a.out)
		out.SetEscapeHTML(false)
		for {
			records, err := h.Audit(a.ctx, q)
			if err != nil || len(records) == 0 {
				return err
			}
			for _, r := range records {
				if err := out.Encode(r); err != nil {
					return err
				}
			}
			q.After = records[len(records)-1].Seq
		}
	}, func(server *running) error {
		more := []string{}
		if c.After > 0 {
			more = append(more, "after", strconv.FormatInt(c.After, 10))
		}
		answer, err := server.ask("GET", "/api/audit/export?"+c.parameters(more...), nil)
		if err != nil {
			return err
		}
		defer answer.Close()
		_, err = io.Copy(a.out, answer)
		return err
	})
}

type auditScriptCmd struct {
	Hash string `arg:"" help:"The script_hash of a record or a run."`
	folderFlag
}

func (c *auditScriptCmd) Run(a *app) error {
	var script struct{ Source string }
	err := c.with(a, func(h *sandboxd.Host) (err error) {
		script.Source, err = h.AuditScript(a.ctx, "", c.Hash)
		return err
	}, func(server *running) error {
		return server.call("GET", "/api/audit/scripts/"+url.PathEscape(c.Hash), nil, &script)
	})
	if err != nil {
		return err
	}
	_, err = io.WriteString(a.out, script.Source)
	return err
}
