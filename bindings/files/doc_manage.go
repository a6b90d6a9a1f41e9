package files

import "github.com/sandboxd/sandboxd/op"

var listDoc = op.Doc{
	Summary: "List the files of the workspace, optionally filtered by a glob pattern.",
	Details: "The pattern is matched against the whole name, folders included: `*.csv` finds files at the top, `**/*.csv` finds them everywhere.",
	Examples: []op.Example{
		{Title: "All files", Code: `const all = await files.list();`},
		{Title: "CSV files in any folder", Code: `const csvs = await files.list("**/*.csv");
return csvs.map(f => f.name + ": " + f.size + " bytes");`},
	},
	Cost:     op.CostLookup,
	ReadOnly: true, Idempotent: true,
}

var infoDoc = op.Doc{
	Summary: "Get all metadata of one file.",
	Details: "Fails with `not_found` if there is no such file.",
	Examples: []op.Example{
		{Title: "Size and version", Code: `const { size, version } = await files.info("report.md");`},
	},
	Cost:     op.CostLookup,
	ReadOnly: true, Idempotent: true,
}

var createDoc = op.Doc{
	Summary: "Create a new file, empty or with text content (UTF-8).",
	Details: "Fails with `exists` if the name is taken; `details.id` of the error is the file that has it. Names may hold folders, which need not exist.",
	Examples: []op.Example{
		{Title: "With content", Code: `const { id } = await files.create("notes/todo.md", undefined, { content: "# To do\n" });`},
		{Title: "Empty, then written", Code: `const { id } = await files.create("data.json");
await files.writeText(id, JSON.stringify({ n: 1 }));`},
	},
	Cost: op.CostWrite,
}

var deleteDoc = op.Doc{
	Summary: "Remove a file from the workspace.",
	Details: "Its versions are kept: files.versions(id) still lists them and files.restore(id, version) brings it back. Answers `{deleted: false}` if there is no such file.",
	Examples: []op.Example{
		{Title: "Delete by name", Code: `await files.delete("old.csv");`},
	},
	Cost:        op.CostWrite,
	Destructive: true, Idempotent: true,
}

var copyDoc = op.Doc{
	Summary: "Duplicate a file under a new name.",
	Details: "A copy takes no space until it is changed. Fails with `exists` if the name is taken.",
	Examples: []op.Example{
		{Title: "Keep the original", Code: `const { id } = await files.copy("budget.xlsx", "budget-2025.xlsx");`},
	},
	Cost: op.CostLookup,
}

var renameDoc = op.Doc{
	Summary: "Rename a file or move it to another folder.",
	Details: "The id stays. Fails with `exists` if the name is taken.",
	Examples: []op.Example{
		{Title: "Move into a folder", Code: `await files.rename("may.csv", "2025/may.csv");`},
	},
	Cost: op.CostLookup,
}

var downloadDoc = op.Doc{
	Summary: "Download a URL directly into the workspace.",
	Details: "The host fetches it, not the script: http and https only, public addresses only, within the size limit of a file and a time limit. Fails with `fetch_failed`, which says why, or `file_too_large`.",
	Examples: []op.Example{
		{Title: "Under a name of its own", Code: `const { id, size } = await files.download("https://example.com/data.csv", "input.csv");`},
	},
	Cost: op.CostNetwork,
}

var versionsDoc = op.Doc{
	Summary: "List the kept versions of a file, newest first; of a deleted file, too.",
	Details: "Every committed change is a version. Read an old one with `files.readText(id, { version })`. What this run changed is one version, made when it ends.",
	Examples: []op.Example{
		{Title: "When did it change?", Code: `const all = await files.versions("report.md");
return all.map(v => v.version + " " + v.action + " " + v.modified_on);`},
	},
	Cost:     op.CostLookup,
	ReadOnly: true, Idempotent: true,
}

var restoreDoc = op.Doc{
	Summary: "Make an old version of a file its newest one; brings a deleted file back.",
	Details: "The versions in between are kept.",
	Examples: []op.Example{
		{Title: "Back to the first version", Code: `await files.restore("report.md", 1);`},
	},
	Cost: op.CostWrite,
}
