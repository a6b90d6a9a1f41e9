// Package spreadsheet holds the operations of files.spreadsheet.*, on xlsx and xlsm
// workbooks and on csv and tsv files, which are workbooks of one sheet.
//
// Reading streams: xlsx/ and csvfile/ open a file as a sheet.Book, which is kept in the
// worker's cache by content. Changes are written in the stream too, those of rows, columns
// and sheets included, so that the rest of the file stays as it is and a large one never
// has to be in memory. A run's changes are held and saved once. excelize only computes
// formulas.
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
		op.Define("files.spreadsheet.readRows", "spreadsheet_read_rows", readRows, readRowsDoc),
		op.Define("files.spreadsheet.readCell", "spreadsheet_read_cell", readCell, readCellDoc),
		op.Define("files.spreadsheet.findCells", "spreadsheet_find_cells", findCells, findCellsDoc),
		op.Define("files.spreadsheet.query", "spreadsheet_query", query, queryDoc),
		op.Define("files.spreadsheet.calculate", "spreadsheet_calculate", calculate, calculateDoc),
		op.Define("files.spreadsheet.writeRange", "spreadsheet_write_range", writeRange, writeRangeDoc),
		op.Define("files.spreadsheet.writeCell", "spreadsheet_write_cell", writeCell, writeCellDoc),
		op.Define("files.spreadsheet.appendRows", "spreadsheet_append_rows", appendRows, appendRowsDoc),
		op.Define("files.spreadsheet.setFormat", "spreadsheet_set_format", setFormat, setFormatDoc),
		op.Define("files.spreadsheet.addSheet", "spreadsheet_add_sheet", addSheet, addSheetDoc),
		op.Define("files.spreadsheet.deleteSheet", "spreadsheet_delete_sheet", deleteSheet, deleteSheetDoc),
		op.Define("files.spreadsheet.renameSheet", "spreadsheet_rename_sheet", renameSheet, renameSheetDoc),
		op.Define("files.spreadsheet.copySheet", "spreadsheet_copy_sheet", copySheet, copySheetDoc),
		op.Define("files.spreadsheet.insertRows", "spreadsheet_insert_rows", insertRows, insertRowsDoc),
		op.Define("files.spreadsheet.deleteRows", "spreadsheet_delete_rows", deleteRows, deleteRowsDoc),
		op.Define("files.spreadsheet.insertColumns", "spreadsheet_insert_columns", insertColumns, insertColumnsDoc),
		op.Define("files.spreadsheet.deleteColumns", "spreadsheet_delete_columns", deleteColumns, deleteColumnsDoc),
		op.Define("files.spreadsheet.mergeCells", "spreadsheet_merge_cells", mergeCells, mergeCellsDoc),
		op.Define("files.spreadsheet.unmergeCells", "spreadsheet_unmerge_cells", unmergeCells, unmergeCellsDoc),
		op.Define("files.spreadsheet.freezePanes", "spreadsheet_freeze_panes", freezePanes, freezePanesDoc),
		op.Define("files.spreadsheet.setColumnWidth", "spreadsheet_set_column_width", setColumnWidth, setColumnWidthDoc),
		op.Define("files.spreadsheet.setRowHeight", "spreadsheet_set_row_height", setRowHeight, setRowHeightDoc),
		op.Define("files.spreadsheet.autoFilter", "spreadsheet_auto_filter", autoFilter, autoFilterDoc),
		op.Define("files.spreadsheet.addTable", "spreadsheet_add_table", addTable, addTableDoc),
		op.Define("files.spreadsheet.addChart", "spreadsheet_add_chart", addChart, addChartDoc),
		op.Define("files.spreadsheet.dataValidation", "spreadsheet_data_validation", dataValidation, dataValidationDoc),
		op.Define("files.spreadsheet.conditionalFormat", "spreadsheet_conditional_format", conditionalFormat, conditionalFormatDoc),
		op.Define("files.spreadsheet.create", "spreadsheet_create", create, createDoc),
		op.Define("files.spreadsheet.toCSV", "spreadsheet_to_csv", toCSV, toCSVDoc),
		op.Define("files.spreadsheet.fromCSV", "spreadsheet_from_csv", fromCSV, fromCSVDoc),
	}
}
