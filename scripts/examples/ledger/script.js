// Keep a double-entry ledger in the workspace's database. A line whose accounts are not
// both known is set aside; everything else is posted in the run's one transaction.
await db.sql(`CREATE TABLE IF NOT EXISTS account (name TEXT PRIMARY KEY, kind TEXT NOT NULL)`);
await db.sql(`CREATE TABLE IF NOT EXISTS entry (
  id INTEGER PRIMARY KEY, day TEXT NOT NULL, account TEXT NOT NULL REFERENCES account(name),
  cents INTEGER NOT NULL, memo TEXT)`);

const kinds = { cash: 'asset', bank: 'asset', salary: 'income', rent: 'expense', groceries: 'expense', utilities: 'expense', travel: 'expense' };
for (const [name, kind] of Object.entries(kinds)) {
  await db.sql('INSERT OR IGNORE INTO account VALUES (?, ?)', [name, kind]);
}

const journal = parseCSV((await files.readText('journal.csv')).content, { header: true });
const rejected = [];
for (const line of journal) {
  if (!(line.account in kinds) || !(line.counter_account in kinds)) {
    rejected.push(line);
    continue;
  }
  const cents = Math.round(Number(line.amount) * 100);
  await db.sql('INSERT INTO entry (day, account, cents, memo) VALUES (?, ?, ?, ?), (?, ?, ?, ?)',
    [line.date, line.account, cents, line.memo, line.date, line.counter_account, -cents, line.memo]);
}

const { rows: [[sum]] } = await db.sql('SELECT sum(cents) FROM entry');
if (sum !== 0) throw new Error(`the ledger does not balance: ${sum}`);

const { rows } = await db.sql(`
  SELECT substr(day, 1, 7) AS month, account, sum(cents) / 100.0 AS total
  FROM entry JOIN account ON name = account WHERE kind IN ('expense', 'income')
  GROUP BY month, account ORDER BY month, account`);
await files.create('monthly.csv', 'text/csv', { content: toCSV([['month', 'account', 'total'], ...rows]) });
return { posted: journal.length - rejected.length, rejected, months: new Set(rows.map(row => row[0])).size };
