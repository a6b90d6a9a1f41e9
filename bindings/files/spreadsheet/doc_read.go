package spreadsheet

import "github.com/sandboxd/sandboxd/op"

// fileRules is what every operation has in common.
const fileRules = "Works on .xlsx and .xlsm workbooks, and on .csv and .tsv files, whose one sheet is named like the file without its ending (or \"Sheet1\"). "

var listSheetsDoc = op.Doc{
	Summary: "List a workbook's sheets with their row and column counts.",
	Details: fileRules + "Counts are those of the cells that have a value, whatever the file claims. Hidden sheets are listed too.",
	Examples: []op.Example{
		{Title: "What sheets are there?", Code: `const sheets = await files.spreadsheet.listSheets("budget.xlsx");
console.log(sheets.map(s => s.name + ": " + s.rowCount + " rows"));`},
	},
	Cost:     op.CostParse,
	ReadOnly: true, Idempotent: true,
}

var getSheetSummaryDoc = op.Doc{
	Summary: "Understand a sheet without reading all of it: headers, column types and ranges, sample rows from top and bottom.",
	Details: fileRules + "Call it first. The header row is a guess, and is marked as one. The answer has a bounded size, whatever the sheet's.",
	Examples: []op.Example{
		{Title: "What does this sheet look like?", Code: `const summary = await files.spreadsheet.getSheetSummary("budget.xlsx", "2024");
for (const c of summary.columns) console.log(c.column, c.header, c.type, c.min, c.max);`},
	},
	Cost:     op.CostParse,
	ReadOnly: true, Idempotent: true,
}

var readRangeDoc = op.Doc{
	Summary: "Read a range of cells as a 2D array of values.",
	Details: fileRules + "Values are numbers, strings, booleans, `null` for empty cells, ISO 8601 strings for dates, and `{error}` for errors such as #DIV/0!. " +
		"A formula's value is its last computed result. Rows have equal length. Ranges may be open: A:C, 1:5, A2:D. A range of a large sheet reads that range only; more than 500,000 cells are `result_too_large`.",
	Examples: []op.Example{
		{Title: "The header area", Code: `const rows = await files.spreadsheet.readRange("budget.xlsx", "2024", "A1:F5");`},
		{Title: "Sum a column", Code: `const column = await files.spreadsheet.readRange("budget.xlsx", "2024", "E2:E");
return column.reduce((sum, [v]) => sum + (typeof v === "number" ? v : 0), 0);`},
	},
	Cost:     op.CostRead,
	ReadOnly: true, Idempotent: true,
}

var readCellDoc = op.Doc{
	Summary: "Read a single cell: value, formula, format, and the text a person sees.",
	Details: fileRules + "A shared formula is given as it reads in this cell.",
	Examples: []op.Example{
		{Title: "How is the total computed?", Code: `const cell = await files.spreadsheet.readCell("budget.xlsx", "2024", "E51");
console.log(cell.value, cell.formula, cell.text, cell.format.numberFormat);`},
	},
	Cost:     op.CostRead,
	ReadOnly: true, Idempotent: true,
}
