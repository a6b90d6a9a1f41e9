// Give every file in the workspace an orderly name: lower case, dashes, one folder by kind.
const slug = name => name
  .normalize('NFD').replace(/\p{M}/gu, '')        // ü → u
  .replace(/\(copy\)|final/gi, '')
  .trim().toLowerCase()
  .replace(/[^\p{L}\p{N}]+/gu, '-')
  .replace(/^-|-$/g, '');

const folder = stem => stem.startsWith('scan') ? 'scans' : stem.startsWith('img') ? 'images' : 'notes';

const renamed = {};
for (const file of await files.list()) {
  const dot = file.name.lastIndexOf('.');
  const stem = slug(file.name.slice(0, dot));
  const name = `${folder(stem)}/${stem}${file.name.slice(dot).toLowerCase()}`;
  await files.rename(file.id, name);
  renamed[file.name] = name;
}
return renamed;
