// Package state holds the operations of state.*: JSON values by key that outlast the run.
//
// Imports op and problem. Start reading at Operations.
package state

import (
	"context"
	"encoding/json"

	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/problem"
)

// Operations lists the operations, in the order of the reference.
func Operations() op.Table {
	return op.Table{
		op.Define("state.get", "state_get", get, getDoc),
		op.Define("state.set", "state_set", set, setDoc),
		op.Define("state.delete", "state_delete", remove, deleteDoc),
		op.Define("state.keys", "state_keys", keys, keysDoc),
	}
}

// maxKey is the longest key, in bytes.
const maxKey = 512

func checkKey(key string) error {
	switch {
	case key == "":
		return problem.New(problem.InvalidArgument, "key is empty, expected 1 to %d bytes of text", maxKey)
	case len(key) > maxKey:
		return problem.New(problem.InvalidArgument, "key has %d bytes, expected 1 to %d", len(key), maxKey).
			WithHint("Keep long text in the value, not in the key.")
	}
	return nil
}

type keyIn struct {
	Key string `json:"key" doc:"The key, up to 512 bytes"`
}

type getOut struct {
	Value json.RawMessage `json:"value" op:"result" doc:"What state.set stored; null if there is nothing"`
}

func get(ctx context.Context, env *op.Env, in keyIn) (getOut, error) {
	if err := checkKey(in.Key); err != nil {
		return getOut{}, err
	}
	value, err := env.Host.StateGet(ctx, in.Key)
	return getOut{value}, err
}

type setIn struct {
	Key   string          `json:"key" doc:"The key, up to 512 bytes"`
	Value json.RawMessage `json:"value" doc:"Any JSON value; it takes the place of the old one"`
}

type setOut struct {
	OK bool `json:"ok" doc:"true"`
}

func set(ctx context.Context, env *op.Env, in setIn) (setOut, error) {
	if err := checkKey(in.Key); err != nil {
		return setOut{}, err
	}
	if err := env.Host.StateSet(ctx, in.Key, in.Value); err != nil {
		return setOut{}, err
	}
	return setOut{OK: true}, nil
}

type deleteOut struct {
	Deleted bool `json:"deleted" op:"result" doc:"Whether the key was there"`
}

func remove(ctx context.Context, env *op.Env, in keyIn) (deleteOut, error) {
	if err := checkKey(in.Key); err != nil {
		return deleteOut{}, err
	}
	deleted, err := env.Host.StateDelete(ctx, in.Key)
	return deleteOut{deleted}, err
}

type keysIn struct {
	Prefix string `json:"prefix,omitempty" doc:"Only keys that begin with this"`
}

type keysOut struct {
	Keys []string `json:"keys" op:"result" doc:"In the order of their bytes"`
}

func keys(ctx context.Context, env *op.Env, in keysIn) (keysOut, error) {
	found, err := env.Host.StateKeys(ctx, in.Prefix)
	return keysOut{found}, err
}
