// Clean a messy CSV export: trim, unify dates and numbers, drop blank and repeated
// rows, and write the clean table and a short report beside it.
const { content } = await files.readText('air-quality.csv');
const rows = parseCSV(content, { header: true, trim: true, skipEmpty: false });

const isoDate = text => text.replace(/^(\d\d)\.(\d\d)\.(\d{4})$/, '$3-$2-$1');
const number = text => {
  const value = Number(text.replace(',', '.'));
  return text === '' || Number.isNaN(value) ? null : value;
};
const properName = text => text[0] + text.slice(1).toLocaleLowerCase();
const spelling = new Map(); // the mixed-case spelling of each station wins over SHOUTING
for (const row of rows) {
  const name = row['Station'];
  if (name && name !== name.toUpperCase()) spelling.set(name.toUpperCase(), name);
}

const seen = new Set();
const clean = [];
let blank = 0, repeated = 0, missing = 0;
for (const row of rows) {
  const name = row['Station'];
  if (!name) { blank++; continue; }
  const record = {
    station: spelling.get(name.toUpperCase()) ?? properName(name),
    country: row['Country'],
    date: isoDate(row['Date']),
    pm25: number(row['PM2.5 (µg/m³)']),
    no2: number(row['NO2']),
    note: row['Note'],
  };
  const key = JSON.stringify(record);
  if (seen.has(key)) { repeated++; continue; }
  seen.add(key);
  if (record.pm25 === null) missing++;
  clean.push(record);
}
clean.sort((a, b) => a.date.localeCompare(b.date) || a.station.localeCompare(b.station));
console.log(`${rows.length} rows read, ${clean.length} kept, ${blank} blank, ${repeated} repeated`);

const byStation = Object.groupBy(clean, row => row.station);
const report = ['# Air quality', '', '| station | readings | mean PM2.5 | highest NO2 |', '|---|---:|---:|---:|'];
for (const [station, list] of Object.entries(byStation).sort(([a], [b]) => a.localeCompare(b))) {
  const pm = list.map(row => row.pm25).filter(value => value !== null);
  const mean = pm.reduce((sum, value) => sum + value, 0) / pm.length;
  const highest = Math.max(...list.map(row => row.no2));
  report.push(`| ${station} | ${list.length} | ${mean.toFixed(1)} | ${highest} |`);
}

const table = await files.create('air-quality-clean.csv', 'text/csv', { content: toCSV(clean) });
await files.create('air-quality.md', 'text/markdown', { content: report.join('\n') + '\n' });
return { kept: clean.length, blank, repeated, missing, stations: Object.keys(byStation).length, table: table.name };
