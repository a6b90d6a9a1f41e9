package db

import (
	"encoding/base64"
	"fmt"

	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/problem"
)

// SetParams puts a call's params into the query, each as a value that SQL has.
func SetParams(query *host.Query, params any) error {
	switch values := params.(type) {
	case nil:
		return nil
	case []any:
		return setPositions(query, values)
	case []string: // a list may come with the type of its elements
		return setPositions(query, values)
	case op.Object:
		query.Named = make(map[string]any, len(values))
		for _, m := range values {
			value, err := sqlValue("params."+m.Name, m.Value)
			if err != nil {
				return err
			}
			query.Named[m.Name] = value
		}
		return nil
	}
	return problem.New(problem.InvalidArgument, "params must be an array of values or an object of named values, but is %s", kindOf(params)).
		WithHint("Pass one value as an array, too: db.sql(\"SELECT … WHERE id = ?\", [7]).")
}

func setPositions[T any](query *host.Query, values []T) error {
	query.Params = make([]any, len(values))
	for i, v := range values {
		value, err := sqlValue(fmt.Sprintf("params[%d]", i), v)
		if err != nil {
			return err
		}
		query.Params[i] = value
	}
	return nil
}

func sqlValue(argument string, value any) (any, error) {
	switch v := value.(type) {
	case nil, bool, int64, float64, string:
		return v, nil
	case []byte:
		return host.Blob{Base64: base64.StdEncoding.EncodeToString(v)}, nil
	case op.Object:
		if len(v) == 1 && v[0].Name == "base64" {
			if text, ok := v[0].Value.(string); ok {
				return host.Blob{Base64: text}, nil
			}
		}
	}
	return nil, problem.New(problem.InvalidArgument, "%s must be null, a boolean, a number, a string, bytes or {base64}, but is %s", argument, kindOf(value)).
		WithHint("Store it as JSON.stringify(value), and query it with json_extract.")
}

func kindOf(value any) string {
	switch value.(type) {
	case bool:
		return "a boolean"
	case int64, float64:
		return "a number"
	case string:
		return "a string"
	case []byte:
		return "bytes"
	case op.Object:
		return "an object"
	}
	return "an array"
}
