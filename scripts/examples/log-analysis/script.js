// Find out from a web server's log what failed, when, and for whom. The file is searched
// where it lies: only the lines that matter come into the script.
const log = 'access.log';
const line = /^(\S+) \S+ \S+ \[([^\]]+)\] "(\S+) (\S+) [^"]*" (\d{3}) (\d+)/;

const total = await files.lineCount(log);
const { matches } = await files.searchText(log, '" 5\\d\\d ', { max: 5000 });

const byPath = {}, byHour = {}, clients = new Set();
for (const { content } of matches) {
  const [, client, when, , path] = content.match(line);
  byPath[path] = (byPath[path] ?? 0) + 1;
  const hour = when.slice(12, 14) + ':00';
  byHour[hour] = (byHour[hour] ?? 0) + 1;
  clients.add(client);
}
const worst = Object.entries(byPath).sort((a, b) => b[1] - a[1])[0];
const share = (matches.length / total).toLocaleString('en-US', { style: 'percent', maximumFractionDigits: 1 });
console.log(`${matches.length} of ${total.toLocaleString()} requests failed (${share})`);

// What happened around the first failure of the worst path?
const first = matches.find(match => match.content.includes(` ${worst[0]} `));
const around = await files.readText(log, { startLine: Math.max(1, first.line - 2), endLine: first.line + 2 });
console.log(around.content);

return { total, failed: matches.length, worst: { path: worst[0], failures: worst[1] }, byHour, clients: clients.size };
