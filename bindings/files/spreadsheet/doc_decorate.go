package spreadsheet

import "github.com/sandboxd/sandboxd/op"

var addChartDoc = op.Doc{
	Summary: "Put a chart on a sheet: columns, bars, lines, areas, a pie or points.",
	Details: "It shows what the cells hold, now and later. Give the whole range as data, the values (and categories) of one series, or series one by one, also of other sheets. Charts that are there stay. " + writeRules,
	Examples: []op.Example{
		{Title: "Plan and actual by month", Code: `await files.spreadsheet.addChart("budget.xlsx", "2024", "column", { data: "A3:C15", title: "Budget 2024", anchor: "G2" });`},
		{Title: "Chosen columns", Code: `await files.spreadsheet.addChart("budget.xlsx", "2024", "line", {
  series: [{ name: "=D3", values: "D4:D15", categories: "A4:A15" }],
  yTitle: "EUR", width: 800,
});`},
	},
	Cost: op.CostWrite,
}

var addTableDoc = op.Doc{
	Summary: "Make a range a table: with filter buttons, a name for formulas, and shaded rows.",
	Details: "The first row of the range holds the headers. appendRows makes the table longer. It cannot overlap another table or a merged area. " + writeRules,
	Examples: []op.Example{
		{Title: "A table of orders", Code: `const { range } = await files.spreadsheet.addTable("orders.xlsx", "Orders", "A1:F200", { name: "Orders" });
await files.spreadsheet.writeCell("orders.xlsx", "Orders", "H1", "=SUM(Orders[Total])");`},
	},
	Cost: op.CostWrite,
}

var dataValidationDoc = op.Doc{
	Summary: "Say what people may enter into the cells of a range: a list, numbers, dates, a length, or a formula.",
	Details: "It replaces what was said of these cells before. Values that are there already, and those that scripts write, are not checked. " + writeRules,
	Examples: []op.Example{
		{Title: "A choice", Code: `await files.spreadsheet.dataValidation("orders.xlsx", "Orders", "C2:C200", {
  type: "list", values: ["open", "paid", "late"], error: "Choose open, paid or late." });`},
		{Title: "Amounts", Code: `await files.spreadsheet.dataValidation("orders.xlsx", "Orders", "F2:F200", { type: "number", min: 0, max: 10000 });`},
		{Title: "Dates of this year", Code: `await files.spreadsheet.dataValidation("orders.xlsx", "Orders", "B:B", { type: "date", min: "2024-01-01", max: "2024-12-31" });`},
	},
	Cost:       op.CostWrite,
	Idempotent: true,
}

var conditionalFormatDoc = op.Doc{
	Summary: "Format cells by what they hold: values, texts, duplicates, the largest, a formula, colour scales, data bars.",
	Details: "Rules that are there stay and count first. " + writeRules,
	Examples: []op.Example{
		{Title: "Over budget in red", Code: `await files.spreadsheet.conditionalFormat("budget.xlsx", "2024", "A4:E15", { type: "formula", formula: "$D4>$C4", format: { fill: "#FFC7CE", color: "#9C0006" } });`},
		{Title: "The ten largest", Code: `await files.spreadsheet.conditionalFormat("orders.xlsx", "Orders", "F2:F200", { type: "top", count: 10, format: { bold: true } });`},
		{Title: "More than 1,000 in green", Code: `await files.spreadsheet.conditionalFormat("orders.xlsx", "Orders", "F2:F200", { type: "cell", greaterThan: 1000, format: { fill: "#C6EFCE" } });`},
		{Title: "From red to green", Code: `await files.spreadsheet.conditionalFormat("orders.xlsx", "Orders", "F2:F200", { type: "colorScale" });`},
	},
	Cost: op.CostWrite,
}
