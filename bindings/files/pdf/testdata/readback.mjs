// Reads PDFs as other libraries see them: node readback.mjs <folder of node_modules> <request>…
// A request is {"path", "password"}; the answer is a line of JSON for each.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

// Node 20 is without what pdfjs-dist takes for granted.
Promise.withResolvers ??= () => {
  const all = {};
  all.promise = new Promise((resolve, reject) => Object.assign(all, { resolve, reject }));
  return all;
};

const [, , folder, ...requests] = process.argv;
const require = createRequire(join(folder, 'x.js'));
const { PDFDocument } = require('pdf-lib');
const root = dirname(require.resolve('pdfjs-dist/package.json'));
const { getDocument } = await import(pathToFileURL(join(root, 'legacy/build/pdf.mjs')));

for (const request of requests) {
  const { path, password } = JSON.parse(request);
  const data = readFileSync(path);
  const answer = {};
  const task = getDocument({ data: new Uint8Array(data), password, verbosity: 0,
    standardFontDataUrl: join(root, 'standard_fonts/'), cMapUrl: join(root, 'cmaps/'), cMapPacked: true });
  const document = await task.promise;
  answer.texts = [];
  answer.links = [];
  for (let n = 1; n <= document.numPages; n++) {
    const page = await document.getPage(n);
    answer.texts.push((await page.getTextContent()).items.map(item => item.str + (item.hasEOL ? '\n' : '')).join(''));
    for (const note of await page.getAnnotations()) if (note.url || note.dest) answer.links.push(note.url ?? 'inside');
  }
  answer.outline = (await document.getOutline() ?? []).map(item => item.title);
  answer.title = (await document.getMetadata()).info.Title ?? '';
  answer.fields = Object.keys(await document.getFieldObjects() ?? {}).sort();
  await task.destroy();
  if (!password) {
    const lib = await PDFDocument.load(data);
    answer.pages = lib.getPageCount();
    answer.libFields = lib.getForm().getFields().map(field => field.getName()).sort();
  }
  console.log(JSON.stringify(answer));
}
