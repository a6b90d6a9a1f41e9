package state

import "github.com/sandboxd/sandboxd/op"

var getDoc = op.Doc{
	Summary: "Get the value stored under a key, or null.",
	Details: "State belongs to the workspace: every script and session in it sees the same keys.",
	Examples: []op.Example{
		{Title: "Count the runs", Code: `const runs = (await state.get("runs")) ?? 0;
await state.set("runs", runs + 1);
return runs + 1;`},
	},
	Cost:     op.CostLookup,
	ReadOnly: true, Idempotent: true,
}

var setDoc = op.Doc{
	Summary: "Store a JSON value under a key.",
	Details: "It is kept when the run ends well. For many records, or to search in them, use `db.sql`; for documents, a file.",
	Examples: []op.Example{
		{Title: "Remember where to go on", Code: `await state.set("import.cursor", { file: "orders.csv", line: 1200 });`},
	},
	Cost:       op.CostWrite,
	Idempotent: true,
}

var deleteDoc = op.Doc{
	Summary: "Remove a key and tell whether it was there.",
	Examples: []op.Example{
		{Title: "Forget a cursor", Code: `const was = await state.delete("import.cursor");`},
	},
	Cost:        op.CostWrite,
	Destructive: true, Idempotent: true,
}

var keysDoc = op.Doc{
	Summary: "List the keys, optionally only those with a prefix.",
	Examples: []op.Example{
		{Title: "Everything of an import", Code: `for (const key of await state.keys("import.")) {
  console.log(key, await state.get(key));
}`},
	},
	Cost:     op.CostLookup,
	ReadOnly: true, Idempotent: true,
}
