package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/engine"
)

// The cases of workbooks, beside ExcelJS on the same files. It takes 10 to 30 s for one of
// 100,000 rows and 20 columns, so that these have one turn without a warm-up.
var spreadsheetCases = []benchmark{
	{
		name: "xlsx 100k×20: A1:D50, file never seen (ExcelJS)", peer: "xlsx-top", book: grid{100_000, 20}, once: true, n: 1,
		goal: goal{text: "≥ 500× faster", ratio: 500},
		ours: func(ctx context.Context, lab *lab) ([]time.Duration, error) {
			return lab.cold(ctx, grid{100_000, 20}, 5, `(await files.spreadsheet.readRange(name, 'Data', 'A1:D50')).length === 50`)
		},
	},
	{
		name: "xlsx 100k×20: 50 cells at row 90,000, file never seen (ExcelJS)", peer: "xlsx-deep", book: grid{100_000, 20}, once: true, n: 1,
		goal: goal{text: "≥ 20× faster", ratio: 20},
		ours: func(ctx context.Context, lab *lab) ([]time.Duration, error) {
			return lab.cold(ctx, grid{100_000, 20}, 5, `(await files.spreadsheet.readRange(name, 'Data', 'A90000:E90009'))[9][0] === 90009`)
		},
	},
	{
		name: "xlsx 100k×20: 50 cells at row 90,000, second time (ExcelJS)", peer: "xlsx-deep", book: grid{100_000, 20}, once: true, n: 1,
		goal: goal{text: "≥ 1,000× faster", ratio: 1000},
		ours: func(ctx context.Context, lab *lab) ([]time.Duration, error) {
			if _, err := lab.upload(ctx, grid{100_000, 20}, "big.xlsx", 0); err != nil {
				return nil, err
			}
			return lab.timed(ctx, `const ms = [];
				await files.spreadsheet.readRange('big.xlsx', 'Data', 'A95000:E95009');
				for (let i = 0; i < 50; i++) {
					const start = performance.now();
					const rows = await files.spreadsheet.readRange('big.xlsx', 'Data', 'A90000:E90009');
					ms.push(performance.now() - start);
					if (rows[9][0] !== 90009) throw new Error('wrong');
				}
				return ms`)
		},
	},
	{
		name: "xlsx 100k×20: read every cell (ExcelJS)", peer: "xlsx-all", book: grid{100_000, 20}, once: true, n: 1,
		goal: goal{text: "≥ 10× faster", ratio: 10},
		ours: func(ctx context.Context, lab *lab) ([]time.Duration, error) {
			return lab.cold(ctx, grid{100_000, 20}, 3, everyCell)
		},
	},
	{
		name: "xlsx 100k×20: read every cell, memory of the process",
		goal: goal{text: "< 100 MB", mb: 100},
		peak: func(ctx context.Context, lab *lab) (float64, error) {
			return lab.freshPeak(ctx, grid{100_000, 20}, everyCell)
		},
	},
	{
		name: "xlsx 1M×5: getSheetSummary, memory of the process",
		goal: goal{text: "< 64 MB", mb: 64},
		peak: func(ctx context.Context, lab *lab) (float64, error) {
			return lab.freshPeak(ctx, grid{1_000_000, 5}, `(await files.spreadsheet.getSheetSummary(name, 'Data')).rowCount === 1000000`)
		},
	},
	{
		name: "xlsx 100k×20: one cell and save (ExcelJS)", peer: "xlsx-edit", book: grid{100_000, 20}, once: true, n: 1,
		goal: goal{text: "≥ 2× faster", ratio: 2},
		ours: func(ctx context.Context, lab *lab) ([]time.Duration, error) {
			return lab.edits(ctx, 1, 3)
		},
	},
	{
		name: "xlsx 100k×20: 100 scattered cells and save (ExcelJS, a cycle of edit and save each: one measured, times 100)", peer: "xlsx-edit", book: grid{100_000, 20}, once: true, n: 1, times: 100,
		goal: goal{text: "≥ 50× faster", ratio: 50},
		ours: func(ctx context.Context, lab *lab) ([]time.Duration, error) {
			return lab.edits(ctx, 100, 3)
		},
	},
	{
		name: "xlsx 10k×20: the six steps in a run, new column and all (ExcelJS, a load for each step and a save for each change)", peer: "xlsx-steps", book: grid{10_000, 20}, once: true, n: 1,
		goal: goal{text: "≥ 10× faster", ratio: 10},
		ours: func(ctx context.Context, lab *lab) ([]time.Duration, error) {
			return lab.sixSteps(ctx, grid{10_000, 20}, 5)
		},
	},
}

// everyCell reads a sheet by pages and looks at each value.
const everyCell = `await (async () => {
	let cells = 0, from = 1;
	while (from) {
		const { rows, next } = await files.spreadsheet.readRows(name, 'Data', { from, limit: 1000 });
		for (const row of rows) cells += row.length;
		from = next;
	}
	return cells === 2000000;
})()`

// grid is the size of a generated workbook.
type grid struct{ rows, cols int }

// upload puts a generated workbook into the workspace. Each number makes other bytes of
// it: the comment at the end of a zip archive.
func (l *lab) upload(ctx context.Context, g grid, name string, number int) (size int, err error) {
	path, err := workbook(g.rows, g.cols)
	if err != nil {
		return 0, err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	comment := fmt.Sprintf("copy %d", number)
	binary.LittleEndian.PutUint16(data[len(data)-2:], uint16(len(comment)))
	data = append(data, comment...)
	_, err = l.host.Files("").Put(ctx, sandboxd.Upload{Name: name, Replace: true, Body: bytes.NewReader(data)})
	return len(data), err
}

// cold times an expression on a workbook whose bytes no process has seen, n times.
func (l *lab) cold(ctx context.Context, g grid, n int, expression string) (times []time.Duration, err error) {
	if _, err := l.runs(ctx, 1, `1`, "1"); err != nil { // a process is there
		return nil, err
	}
	for range n {
		l.copies++
		if _, err := l.upload(ctx, g, "cold.xlsx", l.copies); err != nil {
			return nil, err
		}
		took, err := l.timed(ctx, `const name = 'cold.xlsx', start = performance.now();
			const right = `+expression+`;
			const ms = performance.now() - start;
			if (!right) throw new Error('wrong');
			return [ms]`)
		if err != nil {
			return nil, err
		}
		times = append(times, took...)
	}
	return times, nil
}

// freshPeak is the most memory, in MB, that a new process had resident while it ran an
// expression. It is one without PDFium and libvips, which take 30 MB and read no workbooks.
func (l *lab) freshPeak(ctx context.Context, g grid, expression string) (float64, error) {
	dir, err := os.MkdirTemp(l.dir, "fresh-")
	if err != nil {
		return 0, err
	}
	host, err := sandboxd.Open(ctx, sandboxd.Config{Dir: filepath.Join(dir, "data"), Concurrency: 1, Engines: &engine.Places{}})
	if err != nil {
		return 0, err
	}
	defer host.Close()
	fresh := &lab{host: host, dir: dir}
	if _, err := fresh.upload(ctx, g, "book.xlsx", 0); err != nil {
		return 0, err
	}
	answer := host.Run(ctx, sandboxd.Run{Script: `const name = 'book.xlsx'; const right = ` + expression + `; if (!right) throw new Error('wrong')`})
	if !answer.OK {
		return 0, answer.Error
	}
	return float64(answer.Receipt.PeakMemory) / (1 << 20), nil
}

// edits times a run that changes cells all over a workbook and commits it as a version.
func (l *lab) edits(ctx context.Context, cells, n int) (times []time.Duration, err error) {
	for range n {
		l.copies++
		if _, err := l.upload(ctx, grid{100_000, 20}, "edit.xlsx", l.copies); err != nil {
			return nil, err
		}
		start := time.Now()
		answer := l.host.Run(ctx, sandboxd.Run{Script: fmt.Sprintf(`for (let i = 0; i < %d; i++)
			await files.spreadsheet.writeCell('edit.xlsx', 'Data', 'C' + (50000 + i * 9973 %% 50000), i);`, cells)})
		if !answer.OK {
			return nil, answer.Error
		}
		times = append(times, time.Since(start))
	}
	return times, nil
}

// sixSteps is what agents do most with a workbook: see what sheets there are, look at the
// data, read a range, write a column, format it, filter.
func (l *lab) sixSteps(ctx context.Context, g grid, n int) (times []time.Duration, err error) {
	for range n {
		l.copies++
		if _, err := l.upload(ctx, g, "steps.xlsx", l.copies); err != nil {
			return nil, err
		}
		start := time.Now()
		answer := l.host.Run(ctx, sandboxd.Run{Script: `const book = 'steps.xlsx';
			const [{ name }] = await files.spreadsheet.listSheets(book);
			const { rowCount: last } = await files.spreadsheet.getSheetSummary(book, name);
			const rows = await files.spreadsheet.readRange(book, name, 'A2:E' + last);
			await files.spreadsheet.writeRange(book, name, 'U2', rows.map(row => [row[4] - row[0]]));
			await files.spreadsheet.setFormat(book, name, 'U2:U' + last, { numberFormat: '#,##0.00' });
			await files.spreadsheet.autoFilter(book, name, 'A1:U' + last);
			return rows.length`})
		if !answer.OK {
			return nil, answer.Error
		}
		times = append(times, time.Since(start))
		if want := fmt.Sprint(g.rows - 1); string(answer.Result) != want {
			return nil, fmt.Errorf("%s rows, want %s", answer.Result, want)
		}
	}
	return times, nil
}
