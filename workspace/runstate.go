package workspace

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sandboxd/sandboxd/problem"
)

// maxKey is the length of a state key in bytes.
const maxKey = 512

// stateEntry is one key as a run sees it.
type stateEntry struct {
	looked bool  // seq is known
	seq    int64 // of the last change at the first look; 0 if there was no such key

	there   bool
	value   string
	written bool
}

func checkKey(key string) error {
	switch {
	case key == "":
		return problem.New(problem.InvalidArgument, "key: expected a text, got an empty one").With("argument", "key")
	case len(key) > maxKey:
		return problem.New(problem.InvalidArgument, "key: expected at most %d bytes, got %d", maxKey, len(key)).With("argument", "key").
			WithHint("Use a short key and put the data into the value.")
	case !utf8.ValidString(key) || strings.ContainsRune(key, 0):
		return problem.New(problem.InvalidArgument, "key: expected valid UTF-8 without NUL, got %q", cut(key, 100)).With("argument", "key")
	}
	return nil
}

// stateOf gives a key's entry, read at the first look. The run's lock is held.
func (r *Run) stateOf(ctx context.Context, key string) (*stateEntry, error) {
	e := r.state[key]
	if e != nil && e.looked {
		return e, nil
	}
	var row stateRow
	err := r.store.meta.read.NewSelect().Model(&row).Where("s.workspace = ? AND s.key = ?", r.row.Workspace, key).Scan(context.WithoutCancel(ctx))
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return nil, fmt.Errorf("read state: %w", err)
	}
	if e == nil {
		e = &stateEntry{there: err == nil, value: row.Value}
		r.state[key] = e
	}
	e.looked, e.seq = true, row.Seq
	return e, nil
}

// StateGet implements host.Host.
func (r *Run) StateGet(ctx context.Context, key string) (json.RawMessage, error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	unlock, err := r.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	e := r.state[key]
	if e == nil {
		if e, err = r.stateOf(ctx, key); err != nil {
			return nil, problem.From(err)
		}
	}
	if !e.there {
		return nil, nil
	}
	return json.RawMessage(e.value), nil
}

// StateSet implements host.Host.
func (r *Run) StateSet(ctx context.Context, key string, value json.RawMessage) error {
	if err := checkKey(key); err != nil {
		return err
	}
	if int64(len(value)) > r.limits.StateBytes {
		return errStateFull(int64(len(value)), r.limits.StateBytes)
	}
	var text bytes.Buffer
	if !utf8.Valid(value) || json.Compact(&text, value) != nil {
		return problem.New(problem.InvalidArgument, "value: expected a JSON value, got %q", cut(string(value), 100)).With("argument", "value")
	}
	unlock, err := r.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	e, err := r.stateToWrite(ctx, key)
	if err != nil {
		return problem.From(err)
	}
	total := r.setBytes - e.setBytes(key) + int64(len(key)+text.Len())
	if total > r.limits.StateBytes {
		return errStateFull(total, r.limits.StateBytes)
	}
	r.setBytes = total
	e.written, e.there, e.value = true, true, text.String()
	return nil
}

// setBytes is what a write of the run adds to the state, at most.
func (e *stateEntry) setBytes(key string) int64 {
	if !e.written || !e.there {
		return 0
	}
	return int64(len(key) + len(e.value))
}

// stateToWrite gives an entry to write. A blind write need not know what was there, unless
// the run wants to fail when somebody else changed it.
func (r *Run) stateToWrite(ctx context.Context, key string) (*stateEntry, error) {
	if r.start.OnConflict == ConflictFails {
		return r.stateOf(ctx, key)
	}
	e := r.state[key]
	if e == nil {
		e = &stateEntry{}
		r.state[key] = e
	}
	return e, nil
}

// StateDelete implements host.Host.
func (r *Run) StateDelete(ctx context.Context, key string) (bool, error) {
	if err := checkKey(key); err != nil {
		return false, err
	}
	unlock, err := r.lock(ctx)
	if err != nil {
		return false, err
	}
	defer unlock()
	e := r.state[key]
	if e == nil {
		if e, err = r.stateOf(ctx, key); err != nil {
			return false, problem.From(err)
		}
	}
	was := e.there
	if was {
		r.setBytes -= e.setBytes(key)
		e.written, e.there, e.value = true, false, ""
	}
	return was, nil
}

// StateKeys implements host.Host.
func (r *Run) StateKeys(ctx context.Context, prefix string) ([]string, error) {
	unlock, err := r.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	keys := []string{}
	for key, e := range r.state {
		if e.there && strings.HasPrefix(key, prefix) {
			keys = append(keys, key)
		}
	}
	var stored []string
	err = r.store.meta.read.NewSelect().Model((*stateRow)(nil)).Column("key").Where("s.workspace = ?", r.row.Workspace).
		Scan(context.WithoutCancel(ctx), &stored)
	if err != nil {
		return nil, problem.From(fmt.Errorf("list state: %w", err))
	}
	for _, key := range stored {
		if _, known := r.state[key]; !known && strings.HasPrefix(key, prefix) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys, nil
}
