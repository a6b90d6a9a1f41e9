package db

import "github.com/sandboxd/sandboxd/op"

var sqlDoc = op.Doc{
	Summary: "Run one SQL statement on the workspace's SQLite database.",
	Details: `The database belongs to the workspace and starts empty. A statement that returns rows answers
` + "`{columns, rows, row_count, truncated}`" + `, any other ` + "`{changes, last_insert_rowid}`" + `; SQLite decides which it is, so that
` + "`INSERT … RETURNING`" + ` answers rows.

- Each call runs one statement. All statements of a run are one transaction, which commits when the run ends well:
  ` + "`BEGIN`, `COMMIT` and `SAVEPOINT`" + ` are refused, as are ` + "`ATTACH`, `VACUUM`" + ` and most pragmas.
- Pass values as parameters, never by pasting them into the text.
- An answer has at most 1,000 rows unless the host allows more; ` + "`truncated`" + ` tells that there were more. Page with LIMIT and OFFSET, or aggregate.
- Integers beyond ±2⁵³ come back as strings, bytes as ` + "`{base64}`" + `. A boolean is stored as 1 or 0.
- JSON functions, FTS5, R-Tree, window functions and foreign keys (which are on) are there. Text stands in single quotes.`,
	Examples: []op.Example{
		{Title: "A table and rows in it", Code: `await db.sql("CREATE TABLE IF NOT EXISTS ledger (id INTEGER PRIMARY KEY, day TEXT, amount REAL, note TEXT)");
await db.sql("INSERT INTO ledger (day, amount, note) VALUES (?, ?, ?)", ["2025-05-01", 12.5, "coffee"]);`},
		{Title: "Rows as objects", Code: `const { rows } = await db.sql(
  "SELECT substr(day, 1, 7) AS month, sum(amount) AS total FROM ledger WHERE amount > :min GROUP BY month",
  { min: 0 }, { as: "objects" });
return rows;`},
		{Title: "Insert or update", Code: `const { changes } = await db.sql(
  "INSERT INTO stock (sku, n) VALUES (?, ?) ON CONFLICT (sku) DO UPDATE SET n = n + excluded.n", ["A-1", 5]);`},
	},
	Cost:        op.CostWrite,
	Destructive: true,
}

var schemaDoc = op.Doc{
	Summary: "List the database's tables and views with their columns and row counts.",
	Examples: []op.Example{
		{Title: "What is there?", Code: `const { tables } = await db.schema();
return tables.map(t => t.name + " (" + t.columns.map(c => c.name).join(", ") + "): " + t.row_count + " rows");`},
	},
	Cost:     op.CostRead,
	ReadOnly: true, Idempotent: true,
}
