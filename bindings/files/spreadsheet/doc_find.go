package spreadsheet

import "github.com/sandboxd/sandboxd/op"

var readRowsDoc = op.Doc{
	Summary: "Read a large sheet page by page.",
	Details: fileRules + "Values are as readRange gives them. A page is as quick to reach as any other: where rows begin is remembered. At most 500,000 cells a page.",
	Examples: []op.Example{
		{Title: "Every row, a page at a time", Code: `let total = 0, from = 2;
while (from) {
  const { rows, next } = await files.spreadsheet.readRows("orders.xlsx", "Orders", { range: "A:F", from, limit: 5000 });
  for (const row of rows) total += Number(row[5]);
  from = next ?? 0;
}
return total;`},
	},
	Cost:     op.CostRead,
	ReadOnly: true, Idempotent: true,
}

var findCellsDoc = op.Doc{
	Summary: "Find cells by a text that they contain or by a regular expression.",
	Details: fileRules + "The pattern is looked for in the value (1200) and in the text that a person sees ($1,200.00). Upper and lower case are alike unless caseSensitive says otherwise.",
	Examples: []op.Example{
		{Title: "Where is the total?", Code: `const { cells } = await files.spreadsheet.findCells("budget.xlsx", "total");
for (const c of cells) console.log(c.sheet, c.cell, c.text);`},
		{Title: "Order numbers in a column", Code: `const { cells } = await files.spreadsheet.findCells("orders.xlsx", "^A-\\d{4}$", { sheet: "Orders", range: "B:B", regex: true });`},
	},
	Cost:     op.CostParse,
	ReadOnly: true, Idempotent: true,
}

var queryDoc = op.Doc{
	Summary: "Ask a sheet by SQL: filter, group, sort and join without reading it into the script.",
	Details: fileRules + "The sheet is the table `sheet`, its columns are named by the header row (or A, B, C if there is none; a second Total is Total_2), and rowid is the row's number in the sheet. " +
		"Other sheets of the workbook are tables by their names. Numbers and texts keep their types; booleans are 1 and 0, a date is a text such as 2024-01-31 or 2024-01-31T08:30:00.000Z, " +
		"an error its text. The statement only reads; it runs in memory and knows nothing of the agent's database. Answers have at most 1,000 rows, as those of db.sql.",
	Examples: []op.Example{
		{Title: "Totals by team", Code: `const { rows } = await files.spreadsheet.query("budget.xlsx", "2024",
  "SELECT Team, SUM(Actual) AS total FROM sheet GROUP BY Team ORDER BY total DESC");`},
		{Title: "Which rows to mark", Code: `const { rows } = await files.spreadsheet.query("budget.xlsx", "2024",
  "SELECT rowid FROM sheet WHERE Actual > ?", [1100]);
for (const [row] of rows) await files.spreadsheet.setFormat("budget.xlsx", "2024", row + ":" + row, { fill: "yellow" });`},
	},
	Cost:     op.CostParse,
	ReadOnly: true, Idempotent: true,
}

var calculateDoc = op.Doc{
	Summary: "Compute the formulas of a range, also those that were just written.",
	Details: "Each formula's cell says whether its value was computed now or is the file's last result, which is kept where a function is not known or the time is up. " +
		"Tables' columns (Orders[Total], Orders[@Price]) and names of cells or constants are looked up; what stands for a formula, or computes with a range cell by cell, as in SUMPRODUCT(A1:A9*B1:B9), has the last result. " +
		"Errors such as #DIV/0! are `{error}`; formulas that refer to themselves, by way of others or not, and those that read them, are `{error: \"#CIRC!\"}`, and why says so. The file does not change: spreadsheet programs compute everything anew when they open it. " +
		"Of 12,000 cached results of real workbooks 84% come out the same; TEXT and formulas over volatile functions differ most.",
	Examples: []op.Example{
		{Title: "What does the new total come to?", Code: `await files.spreadsheet.writeCell("budget.xlsx", "2024", "E51", "=SUM(E2:E50)");
const { values, cells } = await files.spreadsheet.calculate("budget.xlsx", "2024", "E51");
console.log(values[0][0], cells[0].source);`},
	},
	Cost:     op.CostParse,
	ReadOnly: true, Idempotent: true,
}
