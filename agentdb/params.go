package agentdb

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/problem"
)

// bindAll binds a query's parameters: Params by position, Named by name, with or without
// the :, @ or $ before it. There must be a value for each parameter, and no value too many
// by position; of an object, members that the statement does not name are left aside.
func bindAll(s *statement, query host.Query) error {
	names := s.parameters()
	if query.Named != nil && len(query.Params) > 0 {
		return problem.New(problem.InvalidArgument, "params has both positions and names")
	}
	if query.Named == nil {
		if len(query.Params) != len(names) {
			return problem.New(problem.InvalidArgument, "params has %s, the statement has %s",
				count(len(query.Params), "value"), count(len(names), "parameter")).
				WithHint("Give one value for each ? in the statement, in an array.")
		}
		for i, value := range query.Params {
			if err := bindOne(s, i+1, fmt.Sprintf("params[%d]", i), value); err != nil {
				return err
			}
		}
		return nil
	}
	if len(names) == 0 && len(query.Named) > 0 {
		return problem.New(problem.InvalidArgument, "params has %s, the statement has no parameters", count(len(query.Named), "named value")).
			WithHint("Write :name in the statement. Options come third: db.sql(sql, [], { as: \"objects\" }).")
	}
	for i, name := range names {
		if name == "" || name[0] == '?' {
			return problem.New(problem.InvalidArgument, "params is an object, but parameter %d of the statement is a ?, without a name", i+1).
				WithHint("Pass an array of values, or write :name in the statement.")
		}
		value, ok := query.Named[name]
		if !ok {
			value, ok = query.Named[name[1:]]
		}
		if !ok {
			return problem.New(problem.InvalidArgument, "params has no %s, which the statement names as %s", name[1:], name).
				WithHint("Pass an object with a member for each of: %s.", strings.Join(names, ", "))
		}
		if err := bindOne(s, i+1, "params."+name[1:], value); err != nil {
			return err
		}
	}
	return nil
}

func count(n int, what string) string {
	switch n {
	case 0:
		return "no " + what + "s"
	case 1:
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func bindOne(s *statement, i int, argument string, value any) error {
	sql, err := sqlValue(argument, value)
	if err != nil {
		return err
	}
	return s.bind(i, sql)
}

// sqlValue gives a parameter as SQLite has it: nil, int64, float64, string or []byte.
func sqlValue(argument string, value any) (any, error) {
	switch v := value.(type) {
	case nil, int64, float64, string, []byte:
		return v, nil
	case bool:
		if v {
			return int64(1), nil
		}
		return int64(0), nil
	case int:
		return int64(v), nil
	case json.Number:
		if number := host.Number(v); number != any(v) {
			return number, nil
		}
		return nil, problem.New(problem.InvalidArgument, "%s is %s, beyond the 64 bits of an integer", argument, clip(string(v))).
			WithHint("Pass it as a string, and store it as TEXT.")
	case host.Blob:
		data, err := base64.StdEncoding.DecodeString(v.Base64)
		if err != nil {
			return nil, problem.New(problem.InvalidArgument, "%s has a base64 that is not valid base64", argument).WithCause(err)
		}
		return data, nil
	}
	kind := "an object"
	if _, ok := value.([]any); ok {
		kind = "an array"
	}
	return nil, problem.New(problem.InvalidArgument, "%s must be null, a boolean, a number, a string or {base64}, but is %s", argument, kind).
		WithHint("Store it as JSON.stringify(value), and query it with json_extract.")
}

func clip(s string) string {
	if len(s) > 40 {
		return s[:40] + "…"
	}
	return s
}
