package spreadsheet

import "github.com/sandboxd/sandboxd/op"

// followRules is what happens around rows and columns that move.
const followRules = "What refers to cells that move follows, on every sheet: formulas, names, merged areas, filters, tables, " +
	"conditional formats, validations, comments, links, pictures and the series of charts. "

var insertRowsDoc = op.Doc{
	Summary: "Insert empty rows behind a row.",
	Details: "What lies below moves down; new rows look like the row above. " + followRules + csvRules + " " + writeRules,
	Examples: []op.Example{
		{Title: "Room for a title", Code: `await files.spreadsheet.insertRows("budget.xlsx", "2024", 0, 2);`},
	},
	Cost: op.CostWrite,
}

var deleteRowsDoc = op.Doc{
	Summary: "Delete rows.",
	Details: "What lies below moves up. " + followRules + "A formula that refers to deleted cells alone gets #REF!; ranges become smaller. A table that loses its row of headers becomes plain cells; the first cell of an array formula goes with all of its cells only. " + csvRules + " " + writeRules,
	Examples: []op.Example{
		{Title: "Delete rows 10 to 12", Code: `await files.spreadsheet.deleteRows("budget.xlsx", "2024", 10, 3);`},
	},
	Cost:        op.CostWrite,
	Destructive: true,
}

var insertColumnsDoc = op.Doc{
	Summary: "Insert empty columns behind a column.",
	Details: "What lies to the right moves; new columns look like the one before, and those within a table get a header. " + followRules + csvRules + " " + writeRules,
	Examples: []op.Example{
		{Title: "A column behind C", Code: `await files.spreadsheet.insertColumns("budget.xlsx", "2024", "C", 1);
await files.spreadsheet.writeCell("budget.xlsx", "2024", "D3", "Share");`},
	},
	Cost: op.CostWrite,
}

var deleteColumnsDoc = op.Doc{
	Summary: "Delete columns.",
	Details: "What lies to the right moves left. " + followRules + "A formula that refers to deleted cells alone gets #REF!; the first cell of an array formula goes with all of its cells only. " + csvRules + " " + writeRules,
	Examples: []op.Example{
		{Title: "Delete columns B and C", Code: `await files.spreadsheet.deleteColumns("budget.xlsx", "2024", "B", 2);`},
	},
	Cost:        op.CostWrite,
	Destructive: true,
}

var mergeCellsDoc = op.Doc{
	Summary: "Merge a range of cells into one.",
	Details: "The first cell keeps its value; what the others have is cleared. A range that overlaps a merged area is refused. " + writeRules,
	Examples: []op.Example{
		{Title: "A title over the table", Code: `await files.spreadsheet.mergeCells("budget.xlsx", "2024", "A1:F1");`},
	},
	Cost:        op.CostWrite,
	Destructive: true, Idempotent: true,
}

var unmergeCellsDoc = op.Doc{
	Summary: "Make the merged areas in a range single cells again.",
	Details: "All merged areas that the range touches. The value is in the first cell. " + writeRules,
	Examples: []op.Example{
		{Title: "Cells again", Code: `await files.spreadsheet.unmergeCells("budget.xlsx", "2024", "A1:F1");`},
	},
	Cost:       op.CostWrite,
	Idempotent: true,
}

var freezePanesDoc = op.Doc{
	Summary: "Keep rows at the top and columns at the left in sight.",
	Details: "Without rows and columns, nothing is frozen any more. " + writeRules,
	Examples: []op.Example{
		{Title: "Freeze the header row", Code: `await files.spreadsheet.freezePanes("budget.xlsx", "2024", { rows: 1 });`},
	},
	Cost:       op.CostWrite,
	Idempotent: true,
}

var setColumnWidthDoc = op.Doc{
	Summary: "Set the width of columns.",
	Details: "0 hides nothing, but leaves no room. " + writeRules,
	Examples: []op.Example{
		{Title: "Wide enough for names", Code: `await files.spreadsheet.setColumnWidth("budget.xlsx", "2024", "A:B", 24);`},
	},
	Cost:       op.CostWrite,
	Idempotent: true,
}

var setRowHeightDoc = op.Doc{
	Summary: "Set the height of rows.",
	Details: writeRules,
	Examples: []op.Example{
		{Title: "A tall header", Code: `await files.spreadsheet.setRowHeight("budget.xlsx", "2024", "1:1", 30);`},
	},
	Cost:       op.CostWrite,
	Idempotent: true,
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
