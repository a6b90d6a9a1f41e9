package main

import (
	"encoding/json"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/bindings"
	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/problem"
)

type toolCmd struct {
	Name string `arg:"" optional:"" help:"The tool, such as file_read_text. Without it the tools are listed." placeholder:"NAME"`
	Args string `arg:"" optional:"" help:"Its arguments as a JSON object." default:"{}" placeholder:"JSON"`
	JSON bool   `help:"Print the whole answer: {ok, result, logs, error, receipt}."`
	dataFlag
}

// Help is shown below the flags.
func (toolCmd) Help() string {
	return `  sandboxd tool file_list
  sandboxd tool file_read_text '{"id": "notes.md", "start_line": 1, "end_line": 20}'`
}

func (c *toolCmd) Run(a *app) error {
	if c.Name == "" {
		return a.printJSON(bindings.Table().Definitions())
	}
	if !json.Valid([]byte(c.Args)) {
		return problem.New(problem.InvalidArgument, "the arguments are not JSON: %s", c.Args).
			WithHint(`For example: sandboxd tool file_info '{"id": "notes.md"}'`)
	}
	h, err := c.open(a, limits.Limits{})
	if err != nil {
		return err
	}
	defer h.Close()
	answer := h.Call(a.ctx, sandboxd.Call{Tool: c.Name, Args: json.RawMessage(c.Args)})
	if c.JSON {
		if err := a.printJSON(answer); err != nil {
			return err
		}
		if !answer.OK {
			return errFailed
		}
		return nil
	}
	if !answer.OK {
		return answer.Error
	}
	return a.printJSON(answer.Result)
}
