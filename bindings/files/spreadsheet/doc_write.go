package spreadsheet

import "github.com/sandboxd/sandboxd/op"

// writeRules is what every operation that changes a workbook has in common.
const writeRules = "Many changes in one run are one version. Formulas are computed when the workbook is opened in a spreadsheet program."

// csvRules is what csv files do.
const csvRules = "A csv file keeps its delimiter, quoting, encoding and line ends; what it cannot hold (formulas, formats, more sheets) is `unsupported_format`."

var writeRangeDoc = op.Doc{
	Summary: "Write a 2D array of values starting at a cell.",
	Details: "Cells keep their formats. `null` and \"\" clear a cell. A string that begins with = is a formula, as is `{formula: \"SUM(A1:A9)\"}`; begin it with '= to write it as text. " +
		"A string in the form in which readRange gives dates (2024-01-31T00:00:00.000Z) becomes a date. Everything else in the file stays as it is. " + csvRules + " " + writeRules,
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

var addSheetDoc = op.Doc{
	Summary: "Create a new, empty worksheet at the end of a workbook.",
	Details: "A taken name is `exists`. " + writeRules,
	Examples: []op.Example{
		{Title: "A sheet for results", Code: `await files.spreadsheet.addSheet("budget.xlsx", "Summary");
await files.spreadsheet.writeRange("budget.xlsx", "Summary", "A1", [["Month", "Total"]]);`},
	},
	Cost: op.CostWrite,
}

var deleteSheetDoc = op.Doc{
	Summary: "Remove a sheet from a workbook.",
	Details: "The last visible sheet cannot be removed. Formulas that refer to the sheet become errors. " + writeRules,
	Examples: []op.Example{
		{Title: "Remove a draft", Code: `await files.spreadsheet.deleteSheet("budget.xlsx", "Draft");`},
	},
	Cost:        op.CostWrite,
	Destructive: true,
}

// formulaRules is a fault of the library that moves rows, found by a golden of deleteRows.
const formulaRules = "Check formulas that name a sheet in quotes, such as SUM('2024'!A1:A9), afterwards: " +
	"they may lose the quotes, and the start of their range may move one row too far. "

var insertRowsDoc = op.Doc{
	Summary: "Insert empty rows behind a row.",
	Details: "What lies below moves down, and formulas, merged areas, filters and tables follow. " + formulaRules + csvRules + " " + writeRules,
	Examples: []op.Example{
		{Title: "Room for a title", Code: `await files.spreadsheet.insertRows("budget.xlsx", "2024", 0, 2);`},
	},
	Cost: op.CostWrite,
}

var deleteRowsDoc = op.Doc{
	Summary: "Delete rows.",
	Details: "What lies below moves up. " + formulaRules + csvRules + " " + writeRules,
	Examples: []op.Example{
		{Title: "Delete rows 10 to 12", Code: `await files.spreadsheet.deleteRows("budget.xlsx", "2024", 10, 3);`},
	},
	Cost:        op.CostWrite,
	Destructive: true,
}

var autoFilterDoc = op.Doc{
	Summary: "Put filter buttons on the headers of a range.",
	Details: "The first row of the range holds the headers. It replaces the filter that the sheet has. " + writeRules,
	Examples: []op.Example{
		{Title: "Filter the whole table", Code: `const { range } = await files.spreadsheet.autoFilter("budget.xlsx", "2024", "A1:F50");`},
	},
	Cost:       op.CostWrite,
	Idempotent: true,
}
