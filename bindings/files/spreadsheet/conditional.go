package spreadsheet

import (
	"context"
	"slices"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/xlsx"
	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/problem"
)

// comparison says what a cell's value has to be, in one of several ways.
type comparison struct {
	Min         any    `json:"min,omitempty" doc:"Of cell: the least value: a number, a text, an ISO date, or a formula that begins with ="`
	Max         any    `json:"max,omitempty" doc:"Of cell: the largest"`
	Above       any    `json:"above,omitempty" doc:"Of cell: larger than this"`
	Below       any    `json:"below,omitempty" doc:"Of cell: smaller than this"`
	GreaterThan any    `json:"greater_than,omitempty" doc:"The same as above"`
	LessThan    any    `json:"less_than,omitempty" doc:"The same as below"`
	Equal       any    `json:"equal,omitempty" doc:"Of cell"`
	NotEqual    any    `json:"not_equal,omitempty" doc:"Of cell"`
	Operator    string `json:"operator,omitempty" enum:"greaterThan,lessThan,greaterThanOrEqual,lessThanOrEqual,equal,notEqual,between" doc:"Of cell: another way to say so, with value"`
	Value       any    `json:"value,omitempty" doc:"What operator compares with; of between an array of the least and the largest"`
}

type conditionalFormatIn struct {
	FileID string `json:"file_id" doc:"File id or name"`
	Sheet  string `json:"sheet" doc:"Name of the sheet"`
	Range  string `json:"range" doc:"Such as B2:B100 or B:B"`
	Rule   struct {
		Type   string       `json:"type" enum:"cell,text,formula,duplicates,unique,top,bottom,blanks,errors,colorScale,dataBar" doc:"What is looked at"`
		Format *formatPatch `json:"format,omitempty" doc:"How cells look that meet the rule: bold, italic, underline, strike, color, fill, border and numberFormat, as for setFormat. Not for colorScale and dataBar."`
		comparison
		Text    string   `json:"text,omitempty" doc:"Of text: what cells contain"`
		Match   string   `json:"match,omitempty" enum:"contains,notContains,beginsWith,endsWith" doc:"Of text. Defaults to contains."`
		Formula string   `json:"formula,omitempty" doc:"Of formula: what must be true, as it reads in the first cell of the range, such as $D2>$C2"`
		Count   int      `json:"count,omitempty" min:"1" max:"1000" doc:"Of top and bottom: how many. Defaults to 10."`
		Percent bool     `json:"percent,omitempty" doc:"Of top and bottom: count is a percentage"`
		Colors  []string `json:"colors,omitempty" doc:"Two or three of colorScale, from the least to the largest; one of dataBar"`
		Stop    bool     `json:"stop,omitempty" doc:"Later rules do not count for cells that meet this one"`
	} `op:"options"`
}

func conditionalFormat(ctx context.Context, env *op.Env, in conditionalFormatIn) (okOut, error) {
	within, err := sheet.ParseRange(in.Range)
	if err != nil {
		return okOut{}, err
	}
	rule, err := ruleOf(in)
	if err != nil {
		return okOut{}, err
	}
	rule.Area = within
	err = edit(ctx, env, in.FileID, func(d *document) error {
		_, edits, i, err := d.decorate(ctx, in.Sheet, "a conditional format")
		if err != nil {
			return err
		}
		d.ahead = true
		return edits.AddRule(i, rule)
	})
	return okOut{err == nil}, err
}

func ruleOf(in conditionalFormatIn) (rule xlsx.Rule, err error) {
	r := in.Rule
	rule.Stop = r.Stop
	switch r.Type {
	case "cell":
		rule.Kind = xlsx.CellIs
		rule.Operator, rule.Formulas, err = r.comparison.operator()
	case "text":
		rule.Kind, rule.Text, rule.Operator = xlsx.Text, r.Text, r.Match
		if rule.Operator == "" || rule.Operator == "contains" {
			rule.Operator = "containsText"
		}
		if r.Text == "" || len(r.Text) > 255 {
			err = problem.New(problem.InvalidArgument, "text: expected 1 to 255 characters").With("argument", "text")
		}
	case "formula":
		var f input
		f, err = formulaInput(r.Formula, "formula")
		rule.Kind, rule.Formulas = xlsx.Expression, []string{f.formula}
	case "top", "bottom":
		rule.Kind, rule.Rank, rule.Percent, rule.Bottom = xlsx.Top, r.Count, r.Percent, r.Type == "bottom"
		if rule.Rank == 0 {
			rule.Rank = 10
		}
		if rule.Percent && rule.Rank > 100 {
			err = problem.New(problem.InvalidArgument, "count: expected a percentage of 1 to 100, got %d", rule.Rank).With("argument", "count")
		}
	case "colorScale", "dataBar":
		return scaleOf(rule, r.Type, r.Colors, r.Format)
	default:
		rule.Kind = map[string]xlsx.RuleKind{"duplicates": xlsx.Duplicates, "unique": xlsx.Unique, "blanks": xlsx.Blanks, "errors": xlsx.Errors}[r.Type]
	}
	if err != nil {
		return rule, err
	}
	if r.Format == nil {
		return rule, problem.New(problem.InvalidArgument, "format: expected how cells look that meet the rule, such as { fill: \"#FFC7CE\" }").With("argument", "format")
	}
	style, err := r.Format.change()
	if err != nil {
		return rule, err
	}
	if f := r.Format; f.Font != nil || f.Size != nil || f.FontSize != nil || f.Align != nil || f.VerticalAlign != nil || f.Wrap != nil || f.ColumnWidth != nil || f.RowHeight != nil {
		return rule, problem.New(problem.InvalidArgument, "format: a rule changes bold, italic, underline, strike, color, fill, border and numberFormat only").
			WithHint("Set the rest with setFormat.").With("argument", "format")
	}
	rule.Style = &style
	return rule, nil
}

func scaleOf(rule xlsx.Rule, kind string, colors []string, format *formatPatch) (xlsx.Rule, error) {
	rule.Kind = xlsx.ColorScale
	least, most := 2, 3
	defaults := []string{"F8696B", "FFEB84", "63BE7B"}
	if kind == "dataBar" {
		rule.Kind, least, most, defaults = xlsx.DataBar, 1, 1, []string{"638EC6"}
	}
	if format != nil {
		return rule, problem.New(problem.InvalidArgument, "format: a %s has colors instead", kind).With("argument", "format")
	}
	if len(colors) == 0 {
		rule.Colors = defaults
		return rule, nil
	}
	if len(colors) < least || len(colors) > most {
		return rule, problem.New(problem.InvalidArgument, "colors: a %s has %d to %d, got %d", kind, least, most, len(colors)).With("argument", "colors")
	}
	for _, c := range colors {
		hex, err := colour(&c, "colors")
		if err != nil {
			return rule, err
		}
		if *hex == "" {
			return rule, problem.New(problem.InvalidArgument, "colors: expected a colour, got \"\"").With("argument", "colors")
		}
		rule.Colors = append(rule.Colors, *hex)
	}
	return rule, nil
}

// operator gives the operator and the formulas of a comparison.
func (c comparison) operator() (string, []string, error) {
	if (c.Operator == "") != (c.Value == nil) {
		return "", nil, problem.New(problem.InvalidArgument, "operator and value: give both, such as { operator: \"greaterThan\", value: 100 }").With("argument", "operator")
	}
	least, most, equal, not := c.Min, c.Max, c.Equal, c.NotEqual
	type strict struct {
		name, operator string
		value          any
	}
	stricts := []strict{{"above", "greaterThan", c.Above}, {"greaterThan", "greaterThan", c.GreaterThan}, {"below", "lessThan", c.Below}, {"lessThan", "lessThan", c.LessThan}}
	if c.Operator != "" {
		if least != nil || most != nil || equal != nil || not != nil || slices.ContainsFunc(stricts, func(s strict) bool { return s.value != nil }) {
			return "", nil, problem.New(problem.InvalidArgument, "operator: give it with value alone").With("argument", "operator")
		}
		switch c.Operator {
		case "greaterThan", "lessThan":
			stricts = []strict{{"value", c.Operator, c.Value}}
		case "greaterThanOrEqual":
			least = c.Value
		case "lessThanOrEqual":
			most = c.Value
		case "equal":
			equal = c.Value
		case "notEqual":
			not = c.Value
		case "between":
			pair, _ := c.Value.([]any)
			if len(pair) != 2 {
				return "", nil, problem.New(problem.InvalidArgument, "value: between needs an array of the least and the largest, such as [1, 10]").With("argument", "value")
			}
			least, most = pair[0], pair[1]
		}
	}
	stricts = slices.DeleteFunc(stricts, func(s strict) bool { return s.value == nil })
	switch {
	case len(stricts) == 0:
		return bounds(least, most, equal, not, false)
	case len(stricts) > 1 || least != nil || most != nil || equal != nil || not != nil:
		return "", nil, problem.New(problem.InvalidArgument, "%s: give it alone, or min and max instead", stricts[0].name).With("argument", stricts[0].name)
	}
	formula, err := operand(stricts[0].value, stricts[0].name, false)
	return stricts[0].operator, []string{formula}, err
}
