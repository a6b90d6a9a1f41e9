package spreadsheet

import "github.com/sandboxd/sandboxd/op"

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
	Details: "Its charts, tables and names go with it. The last visible sheet cannot be removed. What refers to the sheet becomes #REF!. " + writeRules,
	Examples: []op.Example{
		{Title: "Remove a draft", Code: `await files.spreadsheet.deleteSheet("budget.xlsx", "Draft");`},
	},
	Cost:        op.CostWrite,
	Destructive: true,
}

var renameSheetDoc = op.Doc{
	Summary: "Rename a sheet.",
	Details: "Formulas, names, charts, links and validations that refer to it follow. A taken name is `exists`. " + writeRules,
	Examples: []op.Example{
		{Title: "A better name", Code: `await files.spreadsheet.renameSheet("budget.xlsx", "Sheet1", "Budget 2024");`},
	},
	Cost: op.CostWrite,
}

var copySheetDoc = op.Doc{
	Summary: "Copy a sheet within its workbook; the copy is the last one.",
	Details: "Cells, formats, merged areas, validations, pictures, notes, tables (with names of their own) and charts (which show the copy's cells) are copied. " +
		"`notCopied` lists what could not be, such as pivot tables. " + writeRules,
	Examples: []op.Example{
		{Title: "Next year from this year's", Code: `const { name } = await files.spreadsheet.copySheet("budget.xlsx", "2024", "2025");`},
	},
	Cost: op.CostWrite,
}
