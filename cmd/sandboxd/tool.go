package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/url"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/bindings"
	"github.com/sandboxd/sandboxd/problem"
)

type toolCmd struct {
	Name string `arg:"" optional:"" help:"The tool, such as file_read_text. Without it all tools are listed, with their JSON Schemas." placeholder:"NAME"`
	Args string `arg:"" optional:"" help:"Its arguments as a JSON object; - reads them from standard input. Defaults to {}." default:"{}" placeholder:"JSON"`
	JSON bool   `help:"Print the whole answer as one JSON object, errors included: {ok, result, logs, error, receipt}."`
	folderFlag
}

// Help is shown below the summary.
func (toolCmd) Help() string {
	return `The result goes to standard output as JSON. Every call that changes something is a run of its
own; see sandboxd runs.

Examples:

  sandboxd tool file_list
  sandboxd tool file_read_text '{"id": "notes.md", "start_line": 1, "end_line": 20}'`
}

// Validate is called by kong.
func (c *toolCmd) Validate() error {
	if c.Args != "-" && !json.Valid([]byte(c.Args)) {
		return fmt.Errorf("<args>: expected JSON such as '{\"id\": \"notes.md\"}', got %s", c.Args)
	}
	return nil
}

func (c *toolCmd) Run(a *app) error {
	if c.Name == "" {
		return a.printJSON(map[string]any{"tools": bindings.Table().Definitions()})
	}
	args := json.RawMessage(c.Args)
	if c.Args == "-" {
		var err error
		if args, err = io.ReadAll(a.in); err != nil {
			return err
		}
		if !json.Valid(args) {
			return problem.New(problem.InvalidArgument, "standard input is not JSON")
		}
	}
	var answer sandboxd.Answer
	err := c.with(a, func(h *sandboxd.Host) error {
		answer = h.Call(a.ctx, sandboxd.Call{Tool: c.Name, Args: args})
		return nil
	}, func(server *running) error {
		err := server.call("POST", "/api/tools/"+url.PathEscape(c.Name), args, &answer)
		if problem.CodeOf(err) == problem.UnknownOperation { // its address says so, over HTTP
			answer.Error, err = problem.From(err), nil
		}
		return err
	})
	if err != nil {
		return err
	}
	if e := answer.Error; e != nil && e.Code == problem.UnknownOperation {
		answer.Error = e.WithHint("sandboxd tool, without a name, lists all tools.")
	}
	switch {
	case c.JSON:
		if err := a.printJSON(answer); err != nil {
			return err
		}
		if !answer.OK {
			return errFailed
		}
		return nil
	case !answer.OK:
		return answer.Error
	}
	return a.printJSON(answer.Result)
}
