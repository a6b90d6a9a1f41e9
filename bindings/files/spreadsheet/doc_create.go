package spreadsheet

import "github.com/sandboxd/sandboxd/op"

var createDoc = op.Doc{
	Summary: "Create a workbook or a csv file with sheets, values, column widths and formats.",
	Details: "Values are as for writeRange. A taken name is `exists`. A name that ends in .csv or .tsv makes a file of one sheet, which holds values only: " +
		"anything else asked for is `unsupported_format`.",
	Examples: []op.Example{
		{Title: "A report", Code: `await files.spreadsheet.create("report.xlsx", { sheets: [{
  name: "Totals",
  rows: [["Month", "Total"], ["January", 1200], ["February", 950], ["Sum", "=SUM(B2:B3)"]],
  columns: [{ width: 16 }, { width: 12, format: { numberFormat: "#,##0.00" } }],
  header: { bold: true, fill: "#DDEBF7" },
  freezeHeader: true,
}] });`},
		{Title: "A csv file", Code: `await files.spreadsheet.create("out.csv", { sheets: [{ name: "out", rows: [["id", "name"], [1, "Ada"]] }] });`},
	},
	Cost: op.CostWrite,
}

var appendRowsDoc = op.Doc{
	Summary: "Add rows of values behind the last row in use.",
	Details: "Values are as for writeRange. A row may be an object of values by column name: the names are those of the table that ends there, or else of the header row, as getSheetSummary guesses it (of a csv file, the first row); what it does not name stays empty, and an empty sheet gets the names as its first row. New cells look like those above them, and a table that ends there grows; before its totals, if it has them, which move down with what stands beside them. " + csvRules + " " + writeRules,
	Examples: []op.Example{
		{Title: "One more line", Code: `const { range } = await files.spreadsheet.appendRows("log.csv", "log", [[new Date().toISOString(), "done", 17]]);`},
		{Title: "By column name", Code: `await files.spreadsheet.appendRows("orders.xlsx", "Orders", [{ Customer: "Ada", Total: 120 }, { Customer: "Grace", Total: 80 }]);`},
	},
	Cost: op.CostWrite,
}

var toCSVDoc = op.Doc{
	Summary: "Export a sheet as a new csv or tsv file.",
	Details: "From A1 to the last cell in use, in UTF-8. Values are written in full, dates as ISO 8601 (a day without a time as 2024-01-31), formulas as their last computed results. " +
		"Give `safe: true` for a file that people will open in a spreadsheet program and whose texts come from strangers. A taken name is `exists`.",
	Examples: []op.Example{
		{Title: "For a colleague", Code: `const { name } = await files.spreadsheet.toCSV("budget.xlsx", "2024", { safe: true, delimiter: "semicolon" });`},
	},
	Cost: op.CostWrite,
}

var fromCSVDoc = op.Doc{
	Summary: "Make a workbook of a csv or tsv file.",
	Details: "Numbers, TRUE and FALSE, and dates written as in ISO 8601 get their types. What would not come back as it was stays a text: 007, +49301234, numbers of more than 15 digits. " +
		"A taken name is `exists`.",
	Examples: []op.Example{
		{Title: "Then format it", Code: `const { id } = await files.spreadsheet.fromCSV("orders.csv", { sheet: "Orders" });
await files.spreadsheet.setFormat(id, "Orders", "A1:Z1", { bold: true });`},
	},
	Cost: op.CostWrite,
}
