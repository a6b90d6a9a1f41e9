// What ExcelJS does for the cases of workbooks.
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ExcelJS = createRequire(import.meta.url)('exceljs');

const load = async path => {
  const book = new ExcelJS.Workbook();
  await book.xlsx.readFile(path);
  return book;
};
const out = join(tmpdir(), `sandboxd-bench-${process.pid}.xlsx`);

const range = (sheet, [top, left, bottom, right]) => {
  const rows = [];
  for (let r = top; r <= bottom; r++) {
    const row = [];
    for (let c = left; c <= right; c++) row.push(sheet.getCell(r, c).value);
    rows.push(row);
  }
  return rows;
};

export const spreadsheets = {
  'xlsx-top': path => async () => {
    const rows = range((await load(path)).getWorksheet('Data'), [1, 1, 50, 4]);
    if (rows.length !== 50) throw new Error('wrong');
  },
  'xlsx-deep': path => async () => {
    const rows = range((await load(path)).getWorksheet('Data'), [90000, 1, 90009, 5]);
    if (rows[9][0] !== 90009) throw new Error('wrong');
  },
  'xlsx-all': path => async () => {
    let cells = 0;
    (await load(path)).getWorksheet('Data').eachRow(row => row.eachCell(() => cells++));
    if (cells !== 2000000) throw new Error(`${cells} cells`);
  },
  'xlsx-edit': path => async () => {
    const book = await load(path);
    book.getWorksheet('Data').getCell('C50000').value = 1;
    await book.xlsx.writeFile(out);
  },
  // The six steps, each a tool call of its own as agents make them: whoever changes
  // something saves it, and the next one loads it.
  'xlsx-steps': path => async () => {
    let book = await load(path);
    book.worksheets.map(s => [s.name, s.rowCount, s.columnCount]);
    book = await load(path);
    let sheet = book.getWorksheet('Data');
    const last = sheet.rowCount;
    sheet.eachRow(row => row.eachCell(cell => cell.value));
    book = await load(path);
    const rows = range(book.getWorksheet('Data'), [2, 1, last, 5]);
    book = await load(path);
    sheet = book.getWorksheet('Data');
    rows.forEach((row, i) => { sheet.getCell(i + 2, 21).value = row[4] - row[0]; });
    await book.xlsx.writeFile(out);
    book = await load(out);
    sheet = book.getWorksheet('Data');
    for (let r = 2; r <= last; r++) sheet.getCell(r, 21).numFmt = '#,##0.00';
    await book.xlsx.writeFile(out);
    book = await load(out);
    book.getWorksheet('Data').autoFilter = `A1:U${last}`;
    await book.xlsx.writeFile(out);
  },
};
