// What a program does with a client that was generated from the OpenAPI document: uploads
// a file, runs a script on it, follows the run, downloads the result, and is told what is
// wrong. Everything here is typed by the document alone.
import { client } from './client/client.gen';
import * as api from './client/sdk.gen';

declare const process: { argv: string[]; exit(code: number): never };
const [, , baseUrl, token] = process.argv;
client.setConfig({ baseUrl, auth: () => token });

function same(what: string, got: unknown, want: unknown) {
  if (JSON.stringify(got) !== JSON.stringify(want)) throw new Error(`${what}: ${JSON.stringify(got)}, want ${JSON.stringify(want)}`);
}

async function main() {
  const uploaded = await api.uploadFiles({ body: { file: [new File(['a,b\n1,2\n3,4\n'], 'table.csv'), new File(['x'], 'other.txt')] }, throwOnError: true });
  same('uploaded', uploaded.data.files.map(f => f.name), ['table.csv', 'other.txt']);

  const answer = await api.run({ body: { script: `
    const { content } = await files.readText('table.csv');
    const sum = parseCSV(content, { header: true }).reduce((n, row) => n + Number(row.a), args.from);
    await files.create('sum.txt', 'text/plain', { content: String(sum) });
    console.log('the sum is', sum);
    return { sum }`, args: { from: 10 } }, throwOnError: true });
  if (!('ok' in answer.data)) throw new Error('the run was not waited for');
  same('result', [answer.data.ok, answer.data.result, answer.data.logs[0]?.text], [true, { sum: 14 }, 'the sum is 14']);
  same('receipt', answer.data.receipt.files.map(f => `${f.action} ${f.name}`), ['created sum.txt']);

  const file = await api.downloadFile({ path: { id: 'sum.txt' }, throwOnError: true, parseAs: 'text' });
  same('downloaded', file.data, '14');

  const put = await api.putFile({ path: { id: 'sum.txt' }, body: new Blob(['15']), throwOnError: true });
  same('put', put.data.version, 2);
  const versions = await api.listVersions({ path: { id: 'sum.txt' }, throwOnError: true });
  same('versions', versions.data.versions.map(v => v.action), ['modified', 'created']);
  const restored = await api.restoreFile({ path: { id: 'sum.txt' }, body: { version: 1 }, throwOnError: true });
  same('restored', restored.data.version, 3);

  const started = await api.run({ body: { script: `console.log('begun'); return 1`, wait: false }, throwOnError: true });
  if (!('url' in started.data)) throw new Error('the run was waited for');
  const seen: string[] = [];
  const { stream } = await api.followRun({ path: { id: started.data.id }, onSseEvent: e => { if (e.event) seen.push(e.event); }, sseMaxRetryAttempts: 1 });
  for await (const _ of stream) if (seen.at(-1) === 'run:finished') break;
  same('followed', seen, ['run:log', 'run:finished']);
  const run = await api.getRun({ path: { id: started.data.id }, throwOnError: true });
  same('kept', [run.data.status, run.data.result], ['ok', 1]);

  const tool = await api.callTool({ path: { tool: 'file_line_count' }, body: { id: 'table.csv' }, throwOnError: true });
  same('tool', tool.data.ok, true);

  const missing = await api.getFile({ path: { id: 'nothing.txt' } });
  same('problem', missing.error && 'code' in missing.error && missing.error.code, 'not_found');
  console.log('the generated client did everything');
}

main().catch(error => { console.error(error); process.exit(1); });
