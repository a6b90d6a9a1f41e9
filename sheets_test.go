package sandboxd_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/limits"
)

// Formulas and statements that take a library down, fill the memory or never end are the
// end of their run at most: the next one finds a process that works.
func TestHostileSheets(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a while")
	}
	h := open(t, sandboxd.Config{Concurrency: 1, Limits: limits.Limits{Memory: 256 << 20}})
	make := `const book = name => files.spreadsheet.create(name, { sheets: [{ name: 's', rows }] });`
	must(t, h.Run(t.Context(), sandboxd.Run{Script: make + `
		let rows = [];
		for (let i = 1; i <= 30000; i++) rows.push(['=A' + (i + 1) + '+1']);
		await book('chain.xlsx');
		rows = [['=REPT(REPT("x",32767),32767)', '=LEN(REPT(REPT(REPT("x",32767),32767),32767))']];
		await book('memory.xlsx');
		rows = [['=1+1', '=POISSON(250000,5,TRUE)']];
		await book('endless.xlsx');
		rows = [['n'], [1], [2]];
		await book('small.xlsx');
		return 1`}))
	for name, script := range map[string]string{
		"a chain of formulas":     `return (await files.spreadsheet.calculate('chain.xlsx', 's', 'A1')).cells[0].source`,
		"formulas that are large": `return (await files.spreadsheet.calculate('memory.xlsx', 's')).cached`,
		"a formula without an end": `const { cells } = await files.spreadsheet.calculate('endless.xlsx', 's', '', { seconds: 5 });
			if (cells[0].source !== 'computed' || cells[1].source !== 'cached') throw new Error(JSON.stringify(cells));
			return 'answered'`,
		"a statement without an end":            `await files.spreadsheet.query('small.xlsx', 's', 'WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r) SELECT max(i) FROM r')`,
		"a statement that sorts without an end": `await files.spreadsheet.query('small.xlsx', 's', 'WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r) SELECT randomblob(1000) FROM r ORDER BY 1')`,
		"a pattern for a backtracker":           `return (await files.spreadsheet.findCells('small.xlsx', '(a*)*b(x+x+)+y', { regex: true })).cells.length`,
	} {
		start := time.Now()
		run := sandboxd.Run{Script: script}
		calculates := name == "a formula without an end" || name == "a chain of formulas" // which ends by itself
		if !calculates {
			run.Limits = limits.Limits{WallTime: 8 * time.Second, SQLTime: 2 * time.Second}
		}
		answer := h.Run(t.Context(), run)
		text, _ := json.Marshal(answer.Error)
		t.Logf("%s: %v, %s %s, %d MB", name, time.Since(start).Round(time.Millisecond), answer.Result, text, answer.Receipt.PeakMemory>>20)
		if took := time.Since(start); took > 2*time.Minute && !testing.Short() {
			t.Errorf("%s took %v", name, took)
		}
		if calculates && !answer.OK {
			t.Errorf("%s: %v", name, answer.Error)
		}
		after := h.Run(t.Context(), sandboxd.Run{Script: `return (await files.spreadsheet.query('small.xlsx', 's', 'SELECT sum(n) FROM sheet')).rows[0][0]`})
		if !after.OK || string(after.Result) != "3" {
			t.Errorf("after %s: %s, %v", name, after.Result, after.Error)
		}
	}
}
