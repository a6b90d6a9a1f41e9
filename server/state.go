package server

import (
	"encoding/json"
	"net/http"

	"github.com/sandboxd/sandboxd/access"
	"github.com/sandboxd/sandboxd/workspace"
)

type stateList struct {
	State map[string]json.RawMessage `json:"state"` // values by key
}

func (s *server) listState(r *http.Request) (stateList, error) {
	state, err := s.Host.State(r.Context(), askedOf(r).workspace, textOf(r, "prefix"))
	return stateList{state}, err
}

type stateValue struct {
	Key   string          `json:"key"`
	Value json.RawMessage `json:"value"`
}

func (s *server) showState(r *http.Request) (stateValue, error) {
	key := r.PathValue("key")
	value, err := s.Host.StateValue(r.Context(), askedOf(r).workspace, key)
	return stateValue{key, value}, err
}

type workspaceView struct {
	Workspace string          `json:"workspace"`
	Scopes    []access.Scope  `json:"scopes"` // of the token that asks
	Usage     workspace.Usage `json:"usage"`  // bytes
	FileBytes int64           `json:"file_bytes"`
	MaxBytes  int64           `json:"workspace_size"`
}

func (s *server) showWorkspace(r *http.Request) (workspaceView, error) {
	a := askedOf(r)
	usage, err := s.Host.Usage(r.Context(), a.workspace)
	l := s.Host.Limits()
	return workspaceView{a.workspace, a.caller.Scopes, usage, l.FileBytes, l.WorkspaceSize}, err
}
