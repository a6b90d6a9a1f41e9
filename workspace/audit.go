package workspace

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/uptrace/bun"

	"github.com/sandboxd/sandboxd/audit"
	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/problem"
)

type auditRow struct {
	bun.BaseModel `bun:"table:audit,alias:a" json:"-"`

	Seq        int64  `bun:"seq,pk" json:"-"` // given when the row is written
	At         string `bun:"at" json:"at"`
	Workspace  string `bun:"workspace" json:"ws"`
	SessionID  string `bun:"session_id" json:"session"`
	TokenID    string `bun:"token_id" json:"token"`
	Caller     string `bun:"caller" json:"caller"`
	Via        string `bun:"via" json:"via"`
	Address    string `bun:"address" json:"address"`
	RequestID  string `bun:"request_id" json:"request"`
	Action     string `bun:"action" json:"action"`
	Name       string `bun:"name" json:"name"`
	RunID      string `bun:"run_id" json:"run"`
	ScriptHash string `bun:"script_hash" json:"script"`
	Code       string `bun:"code" json:"code"`
	Files      string `bun:"files" json:"files"`
	FilesMore  int64  `bun:"files_more" json:"more"`
	Calls      string `bun:"calls" json:"calls"`
	BytesIn    int64  `bun:"bytes_in" json:"in"`
	BytesOut   int64  `bun:"bytes_out" json:"out"`
	DurationUs int64  `bun:"duration_us" json:"us"`
}

type scriptRow struct {
	bun.BaseModel `bun:"table:audit_scripts,alias:s" json:"-"`

	Hash      string `bun:"hash,pk"`
	Size      int64  `bun:"size"`
	Source    []byte `bun:"source"`
	CreatedOn string `bun:"created_on"`
}

// audited is the record of a run at its end. row is as it ended; the overlay is the run's
// own by now.
func (r *Run) audited(row *runRow, receipt *limits.Receipt) auditRow {
	a := row.audit()
	who := &r.start.Who
	a.Address, a.RequestID = who.Address, who.RequestID
	a.BytesIn, a.BytesOut = receipt.BytesWritten, receipt.BytesRead
	a.DurationUs = r.store.config.Now().Sub(r.began).Microseconds()
	if len(receipt.Calls) > 0 {
		a.Calls = jsonText(receipt.Calls)
	}
	files := make([]audit.File, 0, min(len(receipt.Files)+len(r.read), audit.MostFiles))
	for _, f := range receipt.Files {
		files = append(files, audit.File{ID: f.ID, Name: f.Name, Version: f.Version, Action: f.Action})
		if len(files) == audit.MostFiles {
			break
		}
	}
	a.FilesMore = int64(len(receipt.Files) - len(files) + r.readMore)
	for _, f := range r.read {
		if len(files) == audit.MostFiles {
			a.FilesMore++
			continue
		}
		files = append(files, f)
	}
	if len(files) > 0 {
		a.Files = jsonText(files)
	}
	return a
}

// audit is what a run's row alone tells.
func (row *runRow) audit() auditRow {
	return auditRow{At: row.StartedOn, Workspace: row.Workspace, SessionID: row.SessionID, TokenID: row.TokenID, Caller: row.Caller, Via: row.Via,
		Action: row.Kind, Name: row.Name, RunID: row.ID, ScriptHash: row.ScriptHash, Code: cmp.Or(row.ErrorCode, audit.OK)}
}

// noteRead remembers that the run read a file, each version once. The run's lock is held.
func (r *Run) noteRead(id, name string, version int64) {
	if r.row.ID == "" {
		return // nobody's run
	}
	if slices.ContainsFunc(r.read, func(f audit.File) bool { return f.ID == id && f.Version == version }) {
		return
	}
	if len(r.read) == audit.MostFiles {
		r.readMore++
		return
	}
	r.read = append(r.read, audit.File{ID: id, Name: name, Version: version, Action: audit.Read})
}

// Audit records something that was done and is no run. It does not wait; Close writes it.
func (s *Store) Audit(rec audit.Record) {
	clean := func(text string) string {
		return strings.ReplaceAll(strings.ToValidUTF8(cut(text, 1000), "\uFFFD"), "\x00", "\uFFFD")
	}
	a := auditRow{At: cmp.Or(rec.Time, s.now()), Workspace: clean(rec.Workspace), SessionID: clean(rec.SessionID), TokenID: rec.Who.TokenID,
		Caller: clean(rec.Who.Name), Via: rec.Who.Via, Address: rec.Who.Address, RequestID: rec.Who.RequestID, Action: rec.Action,
		Name: clean(rec.Name), RunID: clean(rec.RunID), ScriptHash: rec.ScriptHash, Code: cmp.Or(rec.Code, audit.OK),
		BytesIn: rec.BytesIn, BytesOut: rec.BytesOut, DurationUs: int64(rec.DurationMs * 1000)}
	if n := len(rec.Files); n > audit.MostFiles {
		a.FilesMore = int64(n - audit.MostFiles)
		rec.Files = rec.Files[:audit.MostFiles]
	}
	if len(rec.Files) > 0 {
		a.Files = jsonText(rec.Files)
	}
	s.writer.later(records{audit: []auditRow{a}})
}

// scripts keeps the sources of scripts.
type scripts struct {
	encoder *zstd.Encoder
	decoder *zstd.Decoder

	mu    sync.Mutex
	known map[string]bool // lately written; one that is not in it is written once more, in vain
}

// scriptsKnown bounds what is remembered of scripts written.
const scriptsKnown = 4096

func newScripts() (*scripts, error) {
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	decoder, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(64<<20))
	return &scripts{encoder: encoder, decoder: decoder, known: map[string]bool{}}, err
}

// keepScript writes, soon, the source of a script, unless it is known to be kept. A run
// says so at its begin, lest it never ends, and once its record is on its way: until
// then a collection may find that no record names the source.
func (s *Store) keepScript(hash, source string) {
	if source == "" {
		return
	}
	s.scripts.mu.Lock()
	known := s.scripts.known[hash]
	if !known {
		if len(s.scripts.known) >= scriptsKnown {
			clear(s.scripts.known)
		}
		s.scripts.known[hash] = true
	}
	s.scripts.mu.Unlock()
	if known {
		return
	}
	row := scriptRow{Hash: hash, Size: int64(len(source)), Source: s.scripts.encoder.EncodeAll([]byte(source), nil), CreatedOn: s.now()}
	s.writer.later(records{scripts: []scriptRow{row}})
}

// forget makes keepScript write these again.
func (s *scripts) forget(hashes []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, hash := range hashes {
		delete(s.known, hash)
	}
}

// writeAudit writes records, numbered on from last, and the sources of scripts.
func (b *batch) writeAudit(ctx context.Context, last int64) (int64, error) {
	for i := range b.records.audit {
		last++
		b.records.audit[i].Seq = last
	}
	if err := b.statements.audit.write(ctx, b.tx, b.records.audit); err != nil {
		return last, fmt.Errorf("record what was done: %w", err)
	}
	err := inChunks(b.records.scripts, func(chunk []scriptRow) error {
		_, err := b.tx.NewInsert().Model(&chunk).On("CONFLICT (hash) DO NOTHING").Exec(ctx)
		return err
	})
	if err != nil {
		return last, fmt.Errorf("keep scripts: %w", err)
	}
	return last, nil
}

// AuditRecords gives records that were written, with all that happened before the call.
func (s *Store) AuditRecords(ctx context.Context, q audit.Query) ([]audit.Record, error) {
	query := s.meta.read.NewSelect().Model((*auditRow)(nil)).Limit(int64(limitOr(q.Limit, 100, 1000)))
	order := "seq DESC"
	if q.Oldest {
		order = "seq"
	}
	query = query.Order(order)
	if q.After > 0 {
		query = query.Where("a.seq > ?", q.After)
	}
	if q.Before > 0 {
		query = query.Where("a.seq < ?", q.Before)
	}
	for column, value := range map[string]string{"workspace": q.Workspace, "session_id": q.SessionID, "action": q.Action, "run_id": q.RunID} {
		if value != "" {
			query = query.Where("? = ?", bun.Ident("a."+column), value)
		}
	}
	if q.Caller != "" {
		query = query.Where("(a.token_id = ? OR a.caller = ?)", q.Caller, q.Caller)
	}
	switch q.Code {
	case "":
	case audit.Failed:
		query = query.Where("a.code <> ?", audit.OK)
	default:
		query = query.Where("a.code = ?", q.Code)
	}
	if q.File != "" {
		if !isID(q.File) { // nothing of LIKE in it
			return nil, problem.New(problem.InvalidArgument, "file: expected the id of a file, got %q", cut(q.File, 100)).With("argument", "file")
		}
		query = query.Where("a.files LIKE ?", `%"id":"`+strings.ToLower(q.File)+`"%`)
	}
	for _, bound := range []struct{ name, value, is string }{{"since", q.Since, ">="}, {"until", q.Until, "<"}} {
		if bound.value == "" {
			continue
		}
		at, err := time.Parse(time.RFC3339, bound.value)
		if err != nil {
			return nil, problem.New(problem.InvalidArgument, "%s: expected a time such as 2026-01-31T12:00:00Z, got %q", bound.name, cut(bound.value, 100)).
				With("argument", bound.name)
		}
		query = query.Where("a.at "+bound.is+" ?", at.UTC().Format(timeFormat))
	}
	if err := s.writer.flush(); err != nil {
		return nil, problem.From(err)
	}
	var rows []auditRow
	if err := query.Scan(ctx, &rows); err != nil {
		return nil, problem.From(fmt.Errorf("read the audit records: %w", err))
	}
	list := make([]audit.Record, len(rows))
	for i := range rows {
		list[i] = rows[i].record()
	}
	return list, nil
}

func limitOr(n, def, most int) int {
	if n <= 0 {
		return def
	}
	return min(n, most)
}

func (a *auditRow) record() audit.Record {
	rec := audit.Record{Seq: a.Seq, Time: a.At, Workspace: a.Workspace, SessionID: a.SessionID,
		Who:    audit.Who{TokenID: a.TokenID, Name: a.Caller, Origin: audit.Origin{Via: a.Via, Address: a.Address, RequestID: a.RequestID}},
		Action: a.Action, Name: a.Name, RunID: a.RunID, ScriptHash: a.ScriptHash, Code: a.Code, Files: []audit.File{}, FilesMore: int(a.FilesMore),
		Calls: map[string]int{}, BytesIn: a.BytesIn, BytesOut: a.BytesOut, DurationMs: float64(a.DurationUs) / 1000}
	if a.Files != "" {
		_ = json.Unmarshal([]byte(a.Files), &rec.Files)
	}
	if a.Calls != "" {
		_ = json.Unmarshal([]byte(a.Calls), &rec.Calls)
	}
	return rec
}

// AuditScript gives the source of a script that a record of a workspace names; of any if
// workspace is "".
func (s *Store) AuditScript(ctx context.Context, workspace, hash string) (string, error) {
	if err := s.writer.flush(); err != nil {
		return "", problem.From(err)
	}
	query := s.meta.read.NewSelect().Model((*scriptRow)(nil)).Where("s.hash = ?", strings.ToLower(hash))
	if workspace != "" {
		query = query.Where("EXISTS (SELECT 1 FROM audit AS a WHERE a.script_hash = s.hash AND a.workspace = ?)", workspace)
	}
	var row scriptRow
	err := query.Scan(ctx, &row)
	if errors.Is(err, sql.ErrNoRows) {
		return "", problem.New(problem.NotFound, "there is no script with the hash %q", cut(hash, 100)).WithHint("The audit records have their hashes.")
	}
	if err != nil {
		return "", problem.From(fmt.Errorf("read a script: %w", err))
	}
	source, err := s.scripts.decoder.DecodeAll(row.Source, nil)
	if err != nil {
		return "", problem.From(fmt.Errorf("unpack a script: %w", err))
	}
	return string(source), nil
}
