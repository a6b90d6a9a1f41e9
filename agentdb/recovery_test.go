package agentdb

import (
	"testing"
	"time"

	"github.com/sandboxd/sandboxd/host"
)

// The process of a daemon that was killed may commit before it dies. Whoever recovers must
// not look before that, find no marker, and call the run lost.
func TestMarkersWaitForWhoMayStillCommit(t *testing.T) {
	dir := t.TempDir()
	old, err := Open(t.Context(), Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer old.Close()
	if err := old.Begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := old.Query(t.Context(), host.Query{SQL: "CREATE TABLE t (n)"}); err != nil {
		t.Fatal(err)
	}
	db, err := Open(t.Context(), Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	committed := make(chan error, 1)
	time.AfterFunc(300*time.Millisecond, func() { committed <- old.Commit(t.Context(), "run", []byte("redo")) })
	markers, err := db.Markers(t.Context())
	if err != nil || len(markers) != 1 || string(markers[0].Redo) != "redo" {
		t.Errorf("markers: %+v, %v", markers, err)
	}
	if err := <-committed; err != nil {
		t.Error(err)
	}
}
