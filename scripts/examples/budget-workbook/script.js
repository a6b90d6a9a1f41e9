// The usual way through a workbook: see what is there, look at the data, read what is
// needed, write a column, format it. Everything else in the workbook stays as it was.
const book = 'budget.xlsx';
const sheets = await files.spreadsheet.listSheets(book);
const summary = await files.spreadsheet.getSheetSummary(book, 'Budget');
console.log(sheets.map(sheet => `${sheet.name}: ${sheet.rowCount} × ${sheet.columnCount}`).join(', '));

const last = summary.rowCount;
const rows = await files.spreadsheet.readRange(book, 'Budget', `A2:E${last}`);
const variance = rows.map(([, , , planned, actual]) => [Math.round((actual - planned) * 100) / 100]);
await files.spreadsheet.writeRange(book, 'Budget', 'F2', variance);
await files.spreadsheet.setFormat(book, 'Budget', `D2:F${last}`, { numberFormat: '#,##0.00' });
await files.spreadsheet.autoFilter(book, 'Budget', `A1:F${last}`);

// A second sheet with the sums by department.
const byDepartment = Map.groupBy(rows, row => row[1]);
const table = [['Department', 'Planned', 'Actual']];
for (const [department, list] of byDepartment) {
  const sum = column => Math.round(list.reduce((total, row) => total + row[column], 0) * 100) / 100;
  table.push([department, sum(3), sum(4)]);
}
await files.spreadsheet.addSheet(book, 'By department');
await files.spreadsheet.writeRange(book, 'By department', 'A1', table);
await files.spreadsheet.setFormat(book, 'By department', 'A1:C1', { bold: true });

const worst = variance.reduce((at, [value], i) => (value > variance[at][0] ? i : at), 0);
return {
  headers: summary.columns.map(column => column.header),
  byDepartment: await files.spreadsheet.readRange(book, 'By department', 'A2:C4'),
  worst: await files.spreadsheet.readRange(book, 'Budget', `A${worst + 2}:F${worst + 2}`),
  shown: (await files.spreadsheet.readCell(book, 'Budget', `F${worst + 2}`)).text,
};
