package files

import "github.com/sandboxd/sandboxd/op"

// lineRules is what every operation on lines has in common.
const lineRules = "Lines are 1-based and ranges inclusive. A line ends with \\n or \\r\\n, or with \\r in a file that has no \\n."

// writeRules is what every operation has in common that changes a text.
const writeRules = "The file keeps its encoding (UTF-8, UTF-16, Latin-1/Windows-1252) and byte order mark. If Latin-1 or Windows-1252 lacks a character of the new text, the file becomes UTF-8 and `note` says so. Many edits in one run are cheap: the file is written once, as one version."

var readTextDoc = op.Doc{
	Summary: "Read a text file, whole or a line range.",
	Details: lineRules + " A range comes without the last line's line end; the whole text comes exactly as it is, without its byte order mark. " +
		"A range of a large file reads that range only. `endLine` may lie behind the end; `startLine` one behind the end answers \"\", further out is `invalid_argument`. " +
		"UTF-8, UTF-16 and Latin-1/Windows-1252 are read as text; other content is `not_text`.",
	Examples: []op.Example{
		{Title: "Whole file", Code: `const { content } = await files.readText("config.json");
const config = JSON.parse(content);`},
		{Title: "Twenty lines from the middle", Code: `const { content, totalLines } = await files.readText("big.log", { startLine: 5000, endLine: 5019 });`},
		{Title: "An old version", Code: `const before = await files.readText("report.md", { version: 1 });`},
	},
	Cost:     op.CostRead,
	ReadOnly: true, Idempotent: true,
}

var writeTextDoc = op.Doc{
	Summary: "Overwrite an existing text file with new text.",
	Details: "The text is written with the line ends it has. " + writeRules + " A file that is not text is `not_text`: delete it first, or create another one.",
	Examples: []op.Example{
		{Title: "Change and write back", Code: `const { content } = await files.readText("config.json");
const config = JSON.parse(content);
config.debug = false;
await files.writeText("config.json", JSON.stringify(config, null, 2) + "\n");`},
	},
	Cost:        op.CostWrite,
	Destructive: true, Idempotent: true,
}

var appendDoc = op.Doc{
	Summary: "Append text to the very end of a text file.",
	Details: "No newline is added: begin or end the text with \\n. Newlines become \\r\\n in a file that uses those. " + writeRules,
	Examples: []op.Example{
		{Title: "One line of a log", Code: `await files.append("run.log", new Date().toISOString() + " done\n");`},
	},
	Cost: op.CostWrite,
}

var replaceLinesDoc = op.Doc{
	Summary: "Replace a range of lines in a text file by any number of lines.",
	Details: lineRules + " A newline at the end of the new content is optional and adds no empty line; \"\" deletes the lines, \"\\n\" is one empty line. Line ends become the file's own; a missing line end at the end of the file stays missing. " + writeRules,
	Examples: []op.Example{
		{Title: "Replace line 3", Code: `await files.replaceLines("config.yml", 3, 3, "debug: false");`},
		{Title: "Delete lines 10 to 20", Code: `const { totalLines } = await files.replaceLines("notes.md", 10, 20, "");`},
	},
	Cost:        op.CostWrite,
	Destructive: true,
}

var insertLinesDoc = op.Doc{
	Summary: "Insert lines into a text file behind a line, or at the start.",
	Details: lineRules + " A newline at the end of the content is optional. An empty file takes the content as it is. " + writeRules,
	Examples: []op.Example{
		{Title: "At the start", Code: `await files.insertLines("data.csv", 0, "id,name,amount");`},
		{Title: "At the end", Code: `const n = await files.lineCount("notes.md");
await files.insertLines("notes.md", n, "- one more");`},
	},
	Cost: op.CostWrite,
}

var searchTextDoc = op.Doc{
	Summary: "Search a text file by a regular expression, line by line.",
	Details: "The pattern is RE2: no look-ahead, look-behind or back-references. Pass it as a string, without slashes. Answers at most `max` lines, 1000 by default, and whether there are more. Of a line longer than 500 characters the part around the match is shown, cut ends marked with …",
	Examples: []op.Example{
		{Title: "Errors with two lines around", Code: `const { matches } = await files.searchText("app.log", "error|fatal", { ignoreCase: true, context: 2 });
for (const m of matches) console.log(m.line + ": " + m.content);`},
	},
	Cost:     op.CostParse,
	ReadOnly: true, Idempotent: true,
}

var lineCountDoc = op.Doc{
	Summary: "Count the lines of a text file.",
	Details: "A last line without a line end counts; an empty file has 0.",
	Examples: []op.Example{
		{Title: "How long is it?", Code: `const n = await files.lineCount("big.csv");`},
	},
	Cost:     op.CostParse,
	ReadOnly: true, Idempotent: true,
}

var searchDoc = op.Doc{
	Summary: "Search all text files of the workspace by a regular expression.",
	Details: "As files.searchText, over every file whose name matches `glob`. Files that are not text are skipped and counted.",
	Examples: []op.Example{
		{Title: "Where is it mentioned?", Code: `const { matches } = await files.search("TODO|FIXME", { glob: "**/*.md" });
return matches.map(m => m.name + ":" + m.line + " " + m.content);`},
	},
	Cost:     op.CostParse,
	ReadOnly: true, Idempotent: true,
}

var readBytesDoc = op.Doc{
	Summary: "Read a range of a file's bytes, as base64.",
	Details: "Offsets are 0-based. At most 8 MB a call; at the end of the file fewer bytes are answered, and none behind the last one.",
	Examples: []op.Example{
		{Title: "The first four bytes", Code: `const magic = atob(await files.readBytes("unknown.bin", 0, 4));`},
	},
	Cost:     op.CostRead,
	ReadOnly: true, Idempotent: true,
}

var writeBytesDoc = op.Doc{
	Summary: "Overwrite bytes of a file at an offset, from base64.",
	Details: "Offsets are 0-based; bytes that go beyond the end make the file longer, but an offset behind the end is `invalid_argument`. At most 8 MB a call. The base64 is the standard alphabet with padding.",
	Examples: []op.Example{
		{Title: "Change one byte", Code: `await files.writeBytes("data.bin", 16, btoa("\x01"));`},
	},
	Cost:        op.CostWrite,
	Destructive: true, Idempotent: true,
}

var appendBytesDoc = op.Doc{
	Summary: "Append bytes to the end of a file, from base64.",
	Details: "At most 8 MB a call. The base64 is the standard alphabet with padding.",
	Examples: []op.Example{
		{Title: "Build a binary file", Code: `const { id } = await files.create("out.bin");
await files.appendBytes(id, btoa("\x89PNG"));`},
	},
	Cost: op.CostWrite,
}
