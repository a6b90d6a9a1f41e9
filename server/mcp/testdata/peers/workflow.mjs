// A client of the official TypeScript SDK that works on an uploaded workbook as a model
// would, in six steps, and prints what it saw as one JSON object.
//
//   node workflow.mjs http URL TOKEN
//   node workflow.mjs stdio COMMAND [ARG...]
import assert from "node:assert/strict";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  LoggingMessageNotificationSchema,
  ProgressNotificationSchema,
  ResourceListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";

const [way, target, ...rest] = process.argv.slice(2);
const transport = way === "http"
  ? new StreamableHTTPClientTransport(new URL(target), { requestInit: { headers: { Authorization: "Bearer " + rest[0] } } })
  : new StdioClientTransport({ command: target, args: rest, stderr: "inherit" });

const client = new Client({ name: "workflow", version: "1.0.0" });
const seen = { updated: [], logs: [], progress: [] };
const waiting = new Map();
// heard resolves when a notification of a kind comes.
const heard = (kind) => new Promise((resolve) => waiting.set(kind, resolve));
const tell = (kind) => { waiting.get(kind)?.(); waiting.delete(kind); };
client.setNotificationHandler(ResourceUpdatedNotificationSchema, (n) => { seen.updated.push(n.params.uri); tell("updated"); });
client.setNotificationHandler(ResourceListChangedNotificationSchema, () => tell("list"));
client.setNotificationHandler(LoggingMessageNotificationSchema, (n) => { seen.logs.push(n.params.level + ": " + n.params.data); });
// Not by onprogress: with it this client drops the progress that it reads together with the answer.
client.setNotificationHandler(ProgressNotificationSchema, (n) => { seen.progress.push(n.params.message); });
await client.connect(transport);
await client.setLoggingLevel("info");

const { tools } = await client.listTools(); // and from here on, the client checks answers against their schemas
const call = async (name, args) => {
  const r = await client.callTool({ name, arguments: args });
  assert(!r.isError, JSON.stringify(r));
  return r;
};

const { resources } = await client.listResources();
const book = resources.find((r) => r.name === "budget.xlsx");
await client.subscribeResource({ uri: book.uri });
const file_id = "budget.xlsx", sheet = "Sheet1";

// The six steps.
const sheets = (await call("spreadsheet_list_sheets", { file_id })).structuredContent;
const summary = (await call("spreadsheet_get_sheet_summary", { file_id, sheet })).structuredContent;
const head = (await call("spreadsheet_read_range", { file_id, sheet, range: "A1:F5" })).structuredContent;
const column = (await call("spreadsheet_read_range", { file_id, sheet, range: "E2:E50" })).structuredContent;
const updated = heard("updated");
const written = await call("spreadsheet_write_range", { file_id, sheet, start_cell: "E2", data: column.values.map(([v]) => [Math.round(v * 1.1)]) });
await call("spreadsheet_set_format", { file_id, sheet, range: "E2:E50", format: { number_format: "$#,##0" } });
await updated;

// The same in code, with what goes on beside it.
const listChanged = heard("list");
const run = await client.callTool({
  name: "run_script",
  arguments: {
    script: `const rows = await files.spreadsheet.readRange(args.file, "Sheet1", "E2:E50");
      console.log(rows.length, "rows");
      console.warn("rounded");
      const total = rows.reduce((sum, [v]) => sum + v, 0);
      await files.create("total.md", undefined, { content: "Total " + total + "\\n" });
      return { total };`,
    args: { file: file_id },
  },
  _meta: { progressToken: "workflow" },
});
await listChanged;
const link = run.content.find((c) => c.type === "resource_link");
const report = await client.readResource({ uri: link.uri });
const completion = await client.complete({ ref: { type: "ref/prompt", name: "analyse_file" }, argument: { name: "file", value: "bud" } });
const prompt = await client.getPrompt({ name: "analyse_file", arguments: { file: "budget.xlsx" } });

// What fails says so in structure, and passes the client's checks.
const failed = await client.callTool({ name: "spreadsheet_read_range", arguments: { file_id: "none.xlsx", sheet, range: "A1" } });

console.log(JSON.stringify({
  server: client.getServerVersion().name,
  tools: tools.length,
  sheets: sheets.sheets.map((s) => s.name),
  columns: summary.columns.map((c) => c.header),
  head: head.values[0],
  rows: column.values.length,
  link: written.content.find((c) => c.type === "resource_link").uri === book.uri,
  updated: seen.updated.length > 0 && seen.updated.every((uri) => uri === book.uri),
  result: run.structuredContent.result,
  logs: seen.logs,
  progress: seen.progress.filter((m) => m),
  report: report.contents[0].text,
  completion: completion.completion.values,
  prompt: prompt.messages.length,
  failed: { isError: failed.isError, code: failed.structuredContent.error.code },
}));
await client.close();
