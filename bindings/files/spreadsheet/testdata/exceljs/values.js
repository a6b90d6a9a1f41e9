// Prints what ExcelJS reads from workbooks, one JSON line a workbook:
//   node values.js PATH-TO-NODE-MODULES WORKBOOK...
//   {"file": …, "error": …} or {"file": …, "sheets": [{"name": …, "cells": {"A1": value}}]}
// Dates are {"date": ISO}, errors {"error": "#DIV/0!"}; a formula whose cached result
// ExcelJS lost is {"lost": true}.
'use strict';
const path = require('path');
const { spawnSync } = require('child_process');
const ExcelJS = require(path.join(path.resolve(process.argv[2]), 'exceljs'));

function plain(v) {
  if (v === null || v === undefined) return null;
  if (v instanceof Date) return { date: isNaN(v) ? null : v.toISOString() };
  if (typeof v !== 'object') return v;
  if (v.error) return { error: v.error };
  if (v.richText) return v.richText.map((run) => run.text).join('');
  if ('formula' in v || 'sharedFormula' in v) {
    return v.result === undefined ? { lost: true } : plain(v.result);
  }
  if ('hyperlink' in v || 'text' in v) return plain(v.text);
  return { unknown: JSON.stringify(v) };
}

async function read(file) {
  const workbook = new ExcelJS.Workbook();
  await workbook.xlsx.readFile(file);
  return workbook.worksheets.map((sheet) => {
    const cells = {};
    sheet.eachRow({ includeEmpty: false }, (row) => {
      row.eachCell({ includeEmpty: false }, (cell) => {
        // The other cells of a merged area repeat the first one's value.
        if (cell.isMerged && cell.master !== cell) return;
        const value = plain(cell.value);
        if (value !== null) cells[cell.address] = value;
      });
    });
    return { name: sheet.name, cells };
  });
}

// Some files end the whole process, or leave a promise that never settles: what is
// left of the list goes on in another child.
function readAll(files) {
  while (files.length > 0) {
    const child = spawnSync(process.execPath, [__filename, process.argv[2], '--child', ...files],
      { encoding: 'utf8', timeout: 8000, maxBuffer: 1 << 30 });
    const lines = child.stdout.split('\n');
    lines.pop();
    for (const line of lines) process.stdout.write(line + '\n');
    files = files.slice(lines.length);
    if (files.length > 0) {
      process.stdout.write(JSON.stringify({ file: files[0], error: 'the reader ended' }) + '\n');
      files = files.slice(1);
    }
  }
}

async function readHere(files) {
  for (const file of files) {
    let line;
    try {
      line = { file, sheets: await read(file) };
    } catch (err) {
      line = { file, error: String(err && err.message) };
    }
    process.stdout.write(JSON.stringify(line) + '\n');
  }
}

if (process.argv[3] === '--child') readHere(process.argv.slice(4));
else readAll(process.argv.slice(3));
