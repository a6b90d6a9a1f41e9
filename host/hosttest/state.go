package hosttest

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/problem"
)

// StateGet gives a key's value, or nil.
func (m *Memory) StateGet(ctx context.Context, key string) (json.RawMessage, error) {
	if err := m.enter(ctx, "StateGet", key); err != nil {
		return nil, err
	}
	defer m.mu.Unlock()
	return slices.Clone(m.state[key]), nil
}

// StateSet sets a key.
func (m *Memory) StateSet(ctx context.Context, key string, value json.RawMessage) error {
	if !json.Valid(value) {
		return problem.New(problem.InvalidArgument, "the value of %q is not JSON", key)
	}
	if err := m.enter(ctx, "StateSet", key); err != nil {
		return err
	}
	defer m.mu.Unlock()
	m.state[key] = slices.Clone(value)
	return nil
}

// StateDelete removes a key.
func (m *Memory) StateDelete(ctx context.Context, key string) (bool, error) {
	if err := m.enter(ctx, "StateDelete", key); err != nil {
		return false, err
	}
	defer m.mu.Unlock()
	_, was := m.state[key]
	delete(m.state, key)
	return was, nil
}

// StateKeys lists the keys with a prefix.
func (m *Memory) StateKeys(ctx context.Context, prefix string) ([]string, error) {
	if err := m.enter(ctx, "StateKeys", prefix); err != nil {
		return nil, err
	}
	defer m.mu.Unlock()
	keys := []string{}
	for key := range m.state {
		if strings.HasPrefix(key, prefix) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys, nil
}

// SQL asks Query.
func (m *Memory) SQL(ctx context.Context, query host.Query) (*host.QueryResult, error) {
	if err := m.enter(ctx, "SQL", query.SQL); err != nil {
		return nil, err
	}
	m.mu.Unlock()
	if m.Query == nil {
		return nil, problem.New(problem.EngineMissing, "there is no database")
	}
	return m.Query(ctx, query)
}

// Schema asks Tables.
func (m *Memory) Schema(ctx context.Context) ([]host.Table, error) {
	if err := m.enter(ctx, "Schema", ""); err != nil {
		return nil, err
	}
	m.mu.Unlock()
	if m.Tables == nil {
		return nil, problem.New(problem.EngineMissing, "there is no database")
	}
	return m.Tables(ctx)
}
