package backup_test

import (
	"bytes"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sandboxd/sandboxd/backup"
	"github.com/sandboxd/sandboxd/event"
	"github.com/sandboxd/sandboxd/workspace"
)

// forged is a backup whose metadata somebody has changed, and whose manifest says so.
func forged(t *testing.T, archive []byte, statement string) []byte {
	t.Helper()
	entries := unpacked(t, archive)
	path := filepath.Join(t.TempDir(), "forged.db")
	var metadata, manifest *entry
	for i := range entries {
		switch entries[i].header.Name {
		case "sandboxd.db":
			metadata = &entries[i]
		case backup.ManifestName:
			manifest = &entries[i]
		}
	}
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=journal_mode(DELETE)")
	if err == nil {
		err = os.WriteFile(path, []byte(metadata.body), 0o600)
	}
	if err == nil {
		_, err = db.ExecContext(t.Context(), statement)
	}
	if err == nil {
		err = db.Close()
	}
	body, rerr := os.ReadFile(path)
	var m backup.Manifest
	if err := errors.Join(err, rerr, json.Unmarshal([]byte(manifest.body), &m)); err != nil {
		t.Fatal(err)
	}
	for i, p := range m.Parts {
		if p.Name == "sandboxd.db" {
			sum := sha256.Sum256(body)
			m.Parts[i].Size, m.Parts[i].SHA256 = int64(len(body)), hex.EncodeToString(sum[:])
			m.Bytes += int64(len(body)) - p.Size
		}
	}
	text, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	metadata.body, manifest.body = string(body), string(text)
	return packed(t, entries)
}

// A backup that fits together can still have metadata that lead a daemon out of its folder.
func TestAttackByTheMetadataOfABackup(t *testing.T) {
	archive := stream(t, folder(t))
	restore := func(archive []byte) error {
		_, err := backup.Restore(t.Context(), backup.FromStream(bytes.NewReader(archive)), filepath.Join(t.TempDir(), "data"))
		return err
	}
	if err := restore(forged(t, archive, "UPDATE agent_files SET name = 'renamed' WHERE name = 'small'")); err != nil {
		t.Fatalf("what is forged well is told by nobody: %v", err)
	}
	hash := strings.Repeat("a", 64)
	for _, statement := range []string{
		"UPDATE blobs SET hash = 'aa/../../../../etc/passwd' WHERE data IS NULL",
		"UPDATE blobs SET hash = 'x' WHERE data IS NULL",
		"UPDATE blobs SET hash = upper(hash) WHERE data IS NULL",
		"UPDATE blobs SET hash = '" + hash + "' WHERE data IS NULL",
		"UPDATE agent_files SET hash = 'aa/../../token'",
		"UPDATE agent_file_versions SET hash = '../token'",
		"UPDATE runs SET db_changeset = '../../../etc/passwd'",
		"UPDATE agent_files SET workspace = '../../out'",
		"INSERT INTO agent_open VALUES ('..', '')",
		"INSERT INTO agent_open VALUES ('a/b', '')",
		"CREATE TRIGGER later AFTER INSERT ON events BEGIN UPDATE blobs SET hash = '..'; END",
		"CREATE VIEW shown AS SELECT * FROM tokens",
		"UPDATE counters SET events = 9223372036854775807",
		"UPDATE counters SET events = 'many'",
		"DELETE FROM counters",
	} {
		if err := restore(forged(t, archive, statement)); !errors.Is(err, backup.ErrDamaged) {
			t.Errorf("%s: %v", statement, err)
		}
	}
}

// What is small as it comes and large as it is written ends at a bound, and leaves nothing.
func TestAttackByTheSizeOfABackup(t *testing.T) {
	archive := stream(t, folder(t))
	whole := unpacked(t, archive)
	zeros := strings.Repeat("\x00", 32<<20)
	bomb := append([]entry{{whole[0].header, zeros}}, whole...)
	bomb[0].header.Name = "db/w/agent.db"
	var many []entry
	for i := range 2000 {
		e := entry{header: whole[0].header}
		e.header.Name = "db/w" + strings.Repeat("x", i%60) + hex.EncodeToString([]byte{byte(i >> 8), byte(i)})[2:] + "/agent.db"
		many = append(many, e)
	}
	for what, archive := range map[string][]byte{"a bomb": packed(t, bomb), "many files": packed(t, many)} {
		if len(archive) > 1<<20 {
			t.Fatalf("%s has %d bytes itself", what, len(archive))
		}
		dir := filepath.Join(t.TempDir(), "data")
		_, err := backup.Restore(t.Context(), backup.Within(backup.FromStream(bytes.NewReader(archive)), 4<<20), dir)
		if !errors.Is(err, backup.ErrTooLarge) {
			t.Errorf("%s: %v", what, err)
		}
		if left, _ := os.ReadDir(dir); len(left) > 0 {
			t.Errorf("%s: there is %v", what, left)
		}
	}
	if _, err := backup.Restore(t.Context(), backup.Within(backup.FromStream(bytes.NewReader(archive)), 4<<20), filepath.Join(t.TempDir(), "data")); err != nil {
		t.Errorf("one that fits: %v", err)
	}
}

// Events after a restore have other numbers than those that were lost by it: who followed
// those is told, and is not taken to have seen what came instead.
func TestEventsAfterARestoreAreNotTakenForOthers(t *testing.T) {
	s := folder(t)
	archive := stream(t, s)
	before, err := s.LastEvent(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	run := func(s *workspace.Store) int64 {
		r, err := s.Begin(t.Context(), workspace.Start{Workspace: "w"})
		if err == nil {
			err = r.StateSet(t.Context(), "k", json.RawMessage("1"))
		}
		if err == nil {
			_, err = r.Commit(t.Context(), workspace.Finish{})
		}
		last, lerr := s.LastEvent(t.Context())
		if err := errors.Join(err, lerr); err != nil {
			t.Fatal(err)
		}
		return last
	}
	lost := run(s)
	dir := filepath.Join(t.TempDir(), "data")
	if _, err := backup.Restore(t.Context(), backup.FromStream(bytes.NewReader(archive)), dir); err != nil {
		t.Fatal(err)
	}
	restored, err := workspace.Open(t.Context(), workspace.Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer restored.Close()
	run(restored)
	run(restored)
	var told *event.Lost
	if _, err := restored.Follow(event.Filter{After: lost}).Next(t.Context()); !errors.As(err, &told) || told.After != lost {
		t.Errorf("who has seen %d, of which the backup has %d, gets %v", lost, before, err)
	}
	if e, err := restored.Follow(event.Filter{After: before}).Next(t.Context()); err != nil || e.Seq <= lost {
		t.Errorf("who has seen what the backup has gets %+v, %v", e, err)
	}
}

// What a worker that was taken over puts into its database's folder neither gets into a
// backup nor makes one that cannot be restored.
func TestAttackByTheFolderOfADatabase(t *testing.T) {
	s := folder(t)
	db := filepath.Join(s.Dir(), "db", "w")
	if err := errors.Join(os.MkdirAll(filepath.Join(db, "tmp"), 0o700), os.Symlink("/etc/passwd", filepath.Join(db, "agent.db-wal"))); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"agent.db", ".evil", "a file", "x-wal", strings.Repeat("n", 200)} {
		if err := os.WriteFile(filepath.Join(db, name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	dir := filepath.Join(t.TempDir(), "data")
	if _, err := backup.Restore(t.Context(), backup.FromStream(bytes.NewReader(stream(t, s))), dir); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(filepath.Join(dir, "db", "w")); err != nil || len(left) != 1 || left[0].Name() != "agent.db" {
		t.Errorf("restored: %v, %v", left, err)
	}
}
