// What a run leaves in `state`, the next run of the workspace finds: here, how far an
// importer has come and what it knows so far.
const seen = (await state.get('seen')) ?? [];
const fresh = parseCSV((await files.readText('inbox-1.csv')).content, { header: true, types: true })
  .filter(row => !seen.includes(row.id));
await state.set('seen', [...seen, ...fresh.map(row => row.id)]);
await state.set('highest', Math.max(...fresh.map(row => row.temperature)));
return { imported: fresh.length, keys: await state.keys() };
