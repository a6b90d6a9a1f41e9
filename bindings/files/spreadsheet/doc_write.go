package spreadsheet

import "github.com/sandboxd/sandboxd/op"

// writeRules is what every operation that changes a workbook has in common.
const writeRules = "Many changes in one run are one version. Formulas are computed when the workbook is opened in a spreadsheet program."

// csvRules is what csv files do.
const csvRules = "A csv file keeps its delimiter, quoting, encoding and line ends; what it cannot hold (formulas, formats, more sheets) is `unsupported_format`."

var writeRangeDoc = op.Doc{
	Summary: "Write a 2D array of values starting at a cell.",
	Details: "Cells keep their formats. `null` and \"\" clear a cell. A string that begins with = is a formula, as is `{formula: \"SUM(A1:A9)\"}`; begin it with '= to write it as text. In a table's cells a formula may be as short as [@Price]*[@Quantity]. " +
		"A string in the form in which readRange gives dates (2024-01-31T00:00:00.000Z) becomes a date, and so does a Date object; a shorter one such as \"2024-01-31\" stays text, as everything else that was read as text and is written back: give `new Date(\"2024-01-31\")` for a date. Everything else in the file stays as it is. " + csvRules + " " + writeRules,
	Examples: []op.Example{
		{Title: "A new column", Code: `const rows = await files.spreadsheet.readRange("budget.xlsx", "2024", "C2:D50");
await files.spreadsheet.writeRange("budget.xlsx", "2024", "E2", rows.map(([plan, actual]) => [Number(actual) - Number(plan)]));`},
		{Title: "Formulas", Code: `await files.spreadsheet.writeRange("budget.xlsx", "2024", "A51", [["Total", "=SUM(B2:B50)"]]);`},
	},
	Cost:        op.CostWrite,
	Destructive: true, Idempotent: true,
}

var writeCellDoc = op.Doc{
	Summary: "Write a single cell: a value or a formula, and its format.",
	Details: "The cell keeps its format but for what the options say. Values are as for writeRange. " + csvRules + " " + writeRules,
	Examples: []op.Example{
		{Title: "A value", Code: `await files.spreadsheet.writeCell("budget.xlsx", "2024", "B2", 1200);`},
		{Title: "A formula, formatted", Code: `await files.spreadsheet.writeCell("budget.xlsx", "2024", "E51", null, { formula: "SUM(E2:E50)", format: { bold: true, numberFormat: "#,##0.00" } });`},
	},
	Cost:        op.CostWrite,
	Destructive: true, Idempotent: true,
}

var setFormatDoc = op.Doc{
	Summary: "Format a range: number format, font, colours, borders, alignment, column width, row height.",
	Details: "Only what is given changes. Cells without a value in the range are formatted too, up to 200,000 of them. " + writeRules,
	Examples: []op.Example{
		{Title: "Currency", Code: `await files.spreadsheet.setFormat("budget.xlsx", "2024", "E2:E50", { numberFormat: "$#,##0" });`},
		{Title: "A header", Code: `await files.spreadsheet.setFormat("budget.xlsx", "2024", "A1:F1", { bold: true, fill: "#DDEBF7", columnWidth: 14 });`},
	},
	Cost:       op.CostWrite,
	Idempotent: true,
}
