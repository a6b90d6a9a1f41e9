package mcp

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sandboxd/sandboxd/problem"
)

// arguments reads the arguments of a tool that is not an operation, which has these members.
func arguments(req *sdk.CallToolRequest, into any, members ...string) error {
	raw := req.Params.Arguments
	if len(raw) == 0 {
		return nil
	}
	var given map[string]json.RawMessage
	if err := json.Unmarshal(raw, &given); err != nil {
		return wrong("arguments", "expected an object, got %.100s", raw).WithCause(err)
	}
	for name := range given {
		if !slices.Contains(members, name) {
			return wrong(name, "there is no such argument; expected some of %s", strings.Join(members, ", "))
		}
	}
	err := json.Unmarshal(raw, into)
	var mistyped *json.UnmarshalTypeError
	if errors.As(err, &mistyped) {
		name, _, _ := strings.Cut(mistyped.Field, ".")
		return wrong(name, "expected what the input schema says, got a JSON %s", mistyped.Value).WithCause(err)
	}
	if err != nil {
		return wrong("arguments", "expected what the input schema says").WithCause(err)
	}
	return nil
}

// wrong is what a wrong argument is told.
func wrong(argument, format string, args ...any) *problem.Error {
	return problem.New(problem.InvalidArgument, argument+": "+format, args...).With("argument", argument).
		WithHint("Look at the tool's input schema.")
}
