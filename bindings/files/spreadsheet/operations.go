// Package spreadsheet holds the operations of files.spreadsheet.*, on xlsx and xlsm
// workbooks and on csv and tsv files, which are workbooks of one sheet.
//
// Reading streams: xlsx/ and csvfile/ open a file as a sheet.Book, which is kept in the
// worker's cache by content. Values, formulas and formats are written in the stream too,
// so that the rest of the file stays as it is and a large one never has to be in memory.
// What changes the structure (sheets, rows, filters) goes through excelize, which holds
// all of the workbook. Either way a run's changes are held and saved once.
//
// Imports op, host, problem, limits, excelize and the packages below. Start reading at
// Operations, then at read and edit in document.go.
package spreadsheet

import "github.com/sandboxd/sandboxd/op"

// Operations lists the operations, in the order of the reference.
func Operations() op.Table {
	return op.Table{
		op.Define("files.spreadsheet.listSheets", "spreadsheet_list_sheets", listSheets, listSheetsDoc),
		op.Define("files.spreadsheet.getSheetSummary", "spreadsheet_get_sheet_summary", getSheetSummary, getSheetSummaryDoc),
		op.Define("files.spreadsheet.readRange", "spreadsheet_read_range", readRange, readRangeDoc),
		op.Define("files.spreadsheet.readCell", "spreadsheet_read_cell", readCell, readCellDoc),
		op.Define("files.spreadsheet.writeRange", "spreadsheet_write_range", writeRange, writeRangeDoc),
		op.Define("files.spreadsheet.writeCell", "spreadsheet_write_cell", writeCell, writeCellDoc),
		op.Define("files.spreadsheet.setFormat", "spreadsheet_set_format", setFormat, setFormatDoc),
		op.Define("files.spreadsheet.addSheet", "spreadsheet_add_sheet", addSheet, addSheetDoc),
		op.Define("files.spreadsheet.deleteSheet", "spreadsheet_delete_sheet", deleteSheet, deleteSheetDoc),
		op.Define("files.spreadsheet.insertRows", "spreadsheet_insert_rows", insertRows, insertRowsDoc),
		op.Define("files.spreadsheet.deleteRows", "spreadsheet_delete_rows", deleteRows, deleteRowsDoc),
		op.Define("files.spreadsheet.autoFilter", "spreadsheet_auto_filter", autoFilter, autoFilterDoc),
	}
}
