package spreadsheet

import (
	"context"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/xlsx"
	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/problem"
	"github.com/xuri/excelize/v2"
)

type calculateIn struct {
	FileID  string `json:"file_id" doc:"File id or name"`
	Sheet   string `json:"sheet" doc:"Name of the sheet"`
	Range   string `json:"range,omitempty" doc:"Such as A1:D50, B2, A:C or 1:5. Omit for all cells in use."`
	Options struct {
		Seconds int `json:"seconds,omitempty" min:"1" max:"60" doc:"How long to calculate at most; formulas that are left then have their cached values. Defaults to 5."`
	} `op:"options"`
}

type calculatedCell struct {
	Cell    string `json:"cell" doc:"Such as B2"`
	Formula string `json:"formula" doc:"Without the leading =; empty if the time was up before"`
	Value   any    `json:"value" doc:"As readRange gives it; null if there is no cached value either"`
	Source  string `json:"source" enum:"computed,cached" doc:"Computed now, or the result that the file has"`
	Why     string `json:"why,omitempty" doc:"Why it could not be computed"`
}

type calculateOut struct {
	Values   [][]any          `json:"values" doc:"The range as readRange gives it, with the new results"`
	Cells    []calculatedCell `json:"cells" doc:"The cells with formulas, by row and column"`
	Computed int              `json:"computed" doc:"How many of them were computed"`
	Cached   int              `json:"cached" doc:"How many have the file's result"`
}

const (
	maxCalculated    = 50_000 // formulas of one call
	calculateSeconds = 5
	// parseFactor is how many times a worksheet's XML excelize takes in memory (1433 MB for
	// one of 80 MB).
	parseFactor = 18
	// stuckGrace is how long a formula may go on behind the deadline before it counts as one
	// that does not end.
	stuckGrace = 500 * time.Millisecond
)

func calculate(ctx context.Context, env *op.Env, in calculateIn) (out calculateOut, err error) {
	within, err := sheet.ParseRange(in.Range)
	if err != nil {
		return out, err
	}
	seconds := in.Options.Seconds
	if seconds == 0 {
		seconds = calculateSeconds
	}
	err = readWritten(ctx, env, in.FileID, func(file host.File, book sheet.Book) error {
		wb, ok := book.(*xlsx.Workbook)
		if !ok {
			return valuesOnly(file.Name, "a formula")
		}
		i, err := findSheet(book, in.Sheet)
		if err != nil {
			return err
		}
		c := &calculation{wb: wb, sheet: i, name: wb.Sheets()[i].Name, within: within}
		if err := c.look(ctx); err != nil {
			if err == errTooManyCells {
				return tooManyCells(in.Range)
			}
			return named(err, file.Name)
		}
		if len(c.cells) > 0 {
			if err := c.open(ctx, env, file.Name); err != nil {
				return err
			}
			formulas, err := c.plainly(ctx)
			if err != nil {
				return named(err, file.Name)
			}
			c.markCircles(ctx, formulas)
			c.run(ctx, env, time.Duration(seconds)*time.Second)
			if err := ctx.Err(); err != nil {
				return problem.From(context.Cause(ctx))
			}
		}
		c.fill(&out)
		return nil
	})
	return out, err
}

// calculation is one call. What the goroutine of compute reaches is set before it begins.
type calculation struct {
	wb     *xlsx.Workbook
	sheet  int
	name   string
	within sheet.Range
	rows   [][]any // as the file has them
	cells  []formulaCell
	long   []chain // columns that may take deep recursion
	file   *excelize.File
	lost   string // why the formulas from some point on were not computed
}

type formulaCell struct {
	at      sheet.Ref
	cached  sheet.Value
	date    bool // its format shows dates
	formula string
	shows   *shownCell // the cell that the formula is nothing but the reference of
	value   sheet.Value
	done    bool
	why     string
}

var errTooManyCells = errors.New("too many cells")

// look reads the range's values and finds its formulas.
func (c *calculation) look(ctx context.Context) (err error) {
	var fits bool
	if c.rows, fits, err = sheet.ReadRange(ctx, c.wb, c.sheet, c.within, maxCells, plain); err != nil {
		return err
	}
	if !fits {
		return errTooManyCells
	}
	err = c.wb.Rows(ctx, c.sheet, c.within, func(row int, cells []sheet.Cell) error {
		for _, cell := range cells {
			if !cell.Formula {
				continue
			}
			if len(c.cells) == maxCalculated {
				return problem.New(problem.TooComplex, "the range has more than %d formulas", maxCalculated).
					WithHint("Calculate it in parts.")
			}
			c.cells = append(c.cells, formulaCell{at: sheet.Ref{Col: int(cell.Col), Row: row}, cached: cell.Value, date: c.wb.IsDate(cell.Style)})
		}
		return nil
	})
	if err == nil && len(c.cells) > 0 {
		c.long, err = c.chains(ctx)
	}
	return err
}

// open parses the workbook as excelize has it, which is the one that knows formulas.
func (c *calculation) open(ctx context.Context, env *op.Env, name string) error {
	if need := c.wb.Inflated() * parseFactor; need > env.Limits.Memory*3/4 {
		return problem.New(problem.TooComplex, "%q is too large to calculate: it would take some %d MB of memory", name, need>>20).
			WithHint("readRange gives the results that the file has; query sums and groups a sheet of any size.")
	}
	if err := ctx.Err(); err != nil {
		return problem.From(context.Cause(ctx))
	}
	err := guarded(func() (err error) {
		c.file, err = excelize.OpenReader(c.wb.Bytes(), excelize.Options{
			RawCellValue: true, UnzipSizeLimit: env.Limits.InflatedBytes, UnzipXMLSizeLimit: env.Limits.InflatedBytes,
		})
		return err
	})
	if err != nil {
		return problem.New(problem.DamagedFile, "%q cannot be calculated, since parts of it are damaged", name).WithCause(err)
	}
	return nil
}

// run computes the formulas one after the other, in order. It returns at the deadline, or when
// ctx ends; a formula that does not end then goes on in the background, since nothing can
// stop it, and the process is not used again after the run.
func (c *calculation) run(ctx context.Context, env *op.Env, limit time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	results := make(chan formulaCell)
	todo, long := slices.Clone(c.cells), c.long
	ended := env.Abandon()
	go func() {
		defer ended()
		defer close(results)
		defer c.file.Close()
		for _, column := range long {
			column.climb(ctx, c.file, c.name)
		}
		for _, cell := range todo {
			if ctx.Err() != nil {
				return
			}
			if !cell.done && cell.why == "" { // as those in circles are, or that are not plain
				compute(c.file, c.name, &cell)
			}
			select {
			case results <- cell:
			case <-ctx.Done():
				return
			}
		}
	}()
	for i := range c.cells {
		select {
		case cell, ok := <-results:
			if ok {
				c.cells[i] = cell
				continue
			}
		case <-ctx.Done():
		}
		c.lost = fmt.Sprintf("calculating took longer than %v", limit)
		select { // the formula at work may be about to end
		case <-results:
		case <-time.After(stuckGrace):
		}
		return
	}
	<-results // closed: the goroutine has ended
}

// compute evaluates one formula. excelize panics on some.
func compute(f *excelize.File, name string, cell *formulaCell) {
	var text string
	err := guarded(func() (err error) {
		if cell.formula == "" {
			if cell.formula, err = f.GetCellFormula(name, cell.at.String()); err != nil {
				return err
			}
		}
		text, err = f.CalcCellValue(name, cell.at.String(), excelize.Options{RawCellValue: true})
		if err == nil && (text == "0" || text == "1") { // only as it is shown a boolean is told from a number
			if shown, err := f.CalcCellValue(name, cell.at.String(), excelize.Options{}); err == nil && (shown == "TRUE" || shown == "FALSE") {
				text = shown
			}
		}
		if err == nil && text == "" && cell.shows != nil && cell.shows.blank(f) {
			text = "0"
		}
		return err
	})
	cell.formula = strings.TrimPrefix(cell.formula, "=")
	if strings.Contains(cell.formula, "#REF!") { // which the library takes for an empty cell
		if cell.why = "the formula has lost what it referred to"; !looksAtErrors.MatchString(cell.formula) {
			cell.value, cell.done, cell.why = sheet.Err("#REF!"), true, ""
		}
		return
	}
	if err != nil {
		unknown, isUnknown := strings.CutPrefix(err.Error(), "not support ")
		switch {
		case strings.Contains(err.Error(), unresolved):
			cell.why = readsUnresolved
		case isUnknown:
			cell.why = cut("the function "+strings.TrimSuffix(unknown, " function")+" is not known", 100)
		case text == "#NAME?":
			cell.why = "the formula names what cannot be looked up here"
		case (text == "#REF!" || err.Error() == "#REF!") && indirectly.MatchString(cell.formula):
			cell.why = "the formula makes a reference that cannot be looked up here"
		case isErrorCode(text):
			cell.value, cell.done = sheet.Err(text), true
		case isErrorCode(err.Error()):
			cell.value, cell.done = sheet.Err(err.Error()), true
		default:
			cell.why = "the formula uses what cannot be computed here"
		}
		return
	}
	v := typed(text, cell)
	if v.Kind == sheet.Error && v.Text == "#NAME?" {
		cell.why = "the formula names what cannot be looked up here"
		return
	}
	cell.value, cell.done = v, true
}

// guarded turns a panic of the library into an error.
func guarded(fn func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("excelize panicked: %v", p)
		}
	}()
	return fn()
}

func isErrorCode(text string) bool {
	switch text {
	case "#DIV/0!", "#N/A", "#NAME?", "#NULL!", "#NUM!", "#REF!", "#VALUE!", "#SPILL!", "#CALC!", "#GETTING_DATA":
		return true
	}
	return false
}

// looksAtErrors finds functions whose result may be something else than their argument's
// error.
var looksAtErrors = regexp.MustCompile(`(?i)\b(IF|IFERROR|IFNA|IFS|IS[A-Z]+|ERROR\.TYPE|TYPE|COUNT[A-Z]*|AGGREGATE|CHOOSE|SWITCH|ROWS?|COLUMNS?)\(`)

// typed gives a result's text its type. excelize tells no number from a text of digits, so
// that the cached result's type decides where there is one.
func typed(text string, cell *formulaCell) sheet.Value {
	if cell.cached.Kind == sheet.String {
		return sheet.Str(text)
	}
	switch text {
	case "":
		return sheet.Str("")
	case "TRUE":
		return sheet.Boolean(true)
	case "FALSE":
		return sheet.Boolean(false)
	}
	if isErrorCode(text) {
		return sheet.Err(text)
	}
	n, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil || math.IsInf(n, 0) || math.IsNaN(n):
		return sheet.Str(text)
	case cell.date && n >= 0 && n < sheet.MaxSerial:
		return sheet.Serial(n)
	case cell.cached.Kind == sheet.Bool:
		return sheet.Boolean(n != 0)
	}
	return sheet.Num(n)
}

func (c *calculation) fill(out *calculateOut) {
	out.Values, out.Cells = c.rows, []calculatedCell{}
	for _, cell := range c.cells {
		made := calculatedCell{Cell: cell.at.String(), Formula: cell.formula, Value: plain(cell.cached), Source: "cached", Why: cell.why}
		switch {
		case cell.done:
			made.Value, made.Source = plain(cell.value), "computed"
			out.Computed++
		default:
			out.Cached++
			if made.Why == "" {
				made.Why = c.lost
			}
		}
		if row, col := cell.at.Row-c.within.MinRow, cell.at.Col-c.within.MinCol; row < len(out.Values) && col < len(out.Values[row]) {
			out.Values[row][col] = made.Value
		}
		out.Cells = append(out.Cells, made)
	}
}
