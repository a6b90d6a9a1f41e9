package spreadsheet

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/xlsx"
	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/problem"
)

type dataValidationIn struct {
	FileID string `json:"file_id" doc:"File id or name"`
	Sheet  string `json:"sheet" doc:"Name of the sheet"`
	Range  string `json:"range" doc:"Such as B2:B100 or B:B"`
	Rule   struct {
		Type       string   `json:"type" enum:"list,number,whole,date,textLength,custom" doc:"What may be entered; number takes fractions, whole does not"`
		Values     []string `json:"values,omitempty" doc:"Of list: what there is to choose from, at most 255 characters together and without commas"`
		Source     string   `json:"source,omitempty" doc:"Of list, instead of values: a range that holds them, such as Lists!A2:A9"`
		Min        any      `json:"min,omitempty" doc:"The least: a number, an ISO date, or a formula that begins with ="`
		Max        any      `json:"max,omitempty" doc:"The most"`
		Equal      any      `json:"equal,omitempty" doc:"The one value, instead of min and max"`
		NotEqual   any      `json:"not_equal,omitempty" doc:"Any but this"`
		Formula    string   `json:"formula,omitempty" doc:"Of custom: what must be true, as it reads in the first cell of the range"`
		Required   bool     `json:"required,omitempty" doc:"An empty cell is wrong, too"`
		Style      string   `json:"style,omitempty" enum:"stop,warning,information" doc:"What happens to a wrong value. Defaults to stop: it is refused."`
		Error      string   `json:"error,omitempty" doc:"What is said of a wrong value, at most 225 characters"`
		ErrorTitle string   `json:"error_title,omitempty" doc:"At most 32 characters"`
		Prompt     string   `json:"prompt,omitempty" doc:"What is said when the cell is chosen, at most 255 characters"`
		Title      string   `json:"title,omitempty" doc:"Title of the prompt, at most 32 characters"`
	} `op:"options"`
}

func dataValidation(ctx context.Context, env *op.Env, in dataValidationIn) (okOut, error) {
	within, err := sheet.ParseRange(in.Range)
	if err != nil {
		return okOut{}, err
	}
	r := in.Rule
	v := xlsx.Validation{Area: within, Kind: r.Type, AllowBlank: !r.Required, Style: r.Style,
		Error: r.Error, ErrorTitle: r.ErrorTitle, Input: r.Prompt, PromptTitle: r.Title}
	for _, text := range []struct {
		name, text string
		most       int
	}{{"error", r.Error, 225}, {"errorTitle", r.ErrorTitle, 32}, {"prompt", r.Prompt, 255}, {"title", r.Title, 32}} {
		if n := utf8.RuneCountInString(text.text); n > text.most {
			return okOut{}, problem.New(problem.InvalidArgument, "%s: at most %d characters are shown, got %d", text.name, text.most, n).With("argument", text.name)
		}
	}
	if v.Style == "" {
		v.Style = "stop"
	}
	switch r.Type {
	case "list":
		formula, err := listFormula(r.Values, r.Source)
		if err != nil {
			return okOut{}, err
		}
		v.Formulas = []string{formula}
	case "custom":
		f, err := formulaInput(r.Formula, "formula")
		if err != nil {
			return okOut{}, err
		}
		v.Formulas = []string{f.formula}
	default:
		if r.Type == "number" {
			v.Kind = "decimal"
		}
		if v.Operator, v.Formulas, err = bounds(r.Min, r.Max, r.Equal, r.NotEqual, r.Type == "date"); err != nil {
			return okOut{}, err
		}
	}
	err = edit(ctx, env, in.FileID, func(d *document) error {
		wb, edits, i, err := d.decorate(ctx, in.Sheet, "a check of what is entered")
		if err != nil {
			return err
		}
		if r.Type == "list" && r.Source != "" {
			if _, err := place(wb, wb.Sheets()[i].Name, strings.TrimPrefix(r.Source, "="), "source"); err != nil {
				return err
			}
		}
		d.ahead = true
		return edits.AddValidation(i, v)
	})
	return okOut{err == nil}, err
}

func listFormula(values []string, source string) (string, error) {
	if (len(values) == 0) == (source == "") {
		return "", problem.New(problem.InvalidArgument, "a list needs either values or source").With("argument", "values")
	}
	if source != "" {
		name, area, err := sheet.ParseQualified(strings.TrimPrefix(source, "="))
		if err != nil {
			return "", argument(err, "source")
		}
		return xlsx.Place{Sheet: name, Area: area}.Formula(), nil
	}
	joined := strings.Join(values, ",")
	if n := utf8.RuneCountInString(joined); n > 255 || strings.Contains(strings.Join(values, ""), ",") {
		return "", problem.New(problem.InvalidArgument, "values: at most 255 characters together and no commas, got %d characters", n).
			WithHint("Write them to cells, and give their range as source.").With("argument", "values")
	}
	return `"` + strings.ReplaceAll(joined, `"`, `""`) + `"`, nil
}

// bounds gives the operator and the formulas of what a value has to be.
func bounds(least, most, equal, notEqual any, date bool) (operator string, formulas []string, err error) {
	given := []struct {
		name  string
		value any
	}{{"min", least}, {"max", most}, {"equal", equal}, {"notEqual", notEqual}}
	have := map[string]string{}
	for _, g := range given {
		if g.value == nil {
			continue
		}
		if have[g.name], err = operand(g.value, g.name, date); err != nil {
			return "", nil, err
		}
	}
	switch {
	case have["min"] != "" && have["max"] != "" && len(have) == 2:
		return "between", []string{have["min"], have["max"]}, nil
	case len(have) == 1:
		for name, operator := range map[string]string{"min": "greaterThanOrEqual", "max": "lessThanOrEqual", "equal": "equal", "notEqual": "notEqual"} {
			if have[name] != "" {
				return operator, []string{have[name]}, nil
			}
		}
	}
	return "", nil, problem.New(problem.InvalidArgument, "expected min, max or both, or else one of the other ways to say what a value is").
		WithHint("Such as { min: 1, max: 10 } or { notEqual: 0 }.").With("argument", "min")
}

// operand gives a value as a formula has it.
func operand(v any, name string, date bool) (string, error) {
	switch v := v.(type) {
	case int64:
		return strconv.FormatInt(v, 10), nil
	case float64:
		return strconv.FormatFloat(v, 'G', -1, 64), nil
	case bool:
		return strings.ToUpper(strconv.FormatBool(v)), nil
	case string:
		if len(v) > 1 && v[0] == '=' {
			f, err := formulaInput(v, name)
			return f.formula, err
		}
		if serial, ok := sheet.ParseISO(v); ok {
			return strconv.FormatFloat(serial, 'f', -1, 64), nil
		}
		if !date {
			if len(v) > 255 {
				return "", problem.New(problem.InvalidArgument, "%s: a text in a formula has at most 255 characters", name).With("argument", name)
			}
			return `"` + strings.ReplaceAll(v, `"`, `""`) + `"`, nil
		}
	}
	want := "a number, or a formula that begins with ="
	if date {
		want = "a date such as \"2024-01-31\", or a formula that begins with ="
	}
	return "", problem.New(problem.InvalidArgument, "%s: expected %s, got %s", name, want, cut(fmt.Sprint(v), 60)).With("argument", name)
}
