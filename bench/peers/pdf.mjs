// What pdf-lib, pdfjs-dist and poppler do for the cases of PDFs.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);
const { PDFDocument } = require('pdf-lib');
// pdfjs-dist uses it, and Node has it from 22 on.
Promise.withResolvers ??= () => {
  let resolve, reject;
  const promise = new Promise((yes, no) => { resolve = yes; reject = no; });
  return { promise, resolve, reject };
};
const out = join(tmpdir(), `sandboxd-bench-${process.pid}`);

// As pdfjs-dist's own examples extract text.
async function textOf(path) {
  const { getDocument } = await import('pdfjs-dist/legacy/build/pdf.mjs');
  const standardFontDataUrl = join(dirname(require.resolve('pdfjs-dist/package.json')), 'standard_fonts/');
  const task = getDocument({ data: new Uint8Array(readFileSync(path)), standardFontDataUrl, verbosity: 0 });
  const document = await task.promise;
  let text = '';
  for (let n = 1; n <= document.numPages; n++) {
    const page = await document.getPage(n);
    const content = await page.getTextContent();
    text += content.items.map(item => item.str + (item.hasEOL ? '\n' : '')).join('');
  }
  await task.destroy();
  return text.replace(/\s+/g, ' ');
}

export const pdfs = {
  'pdf-text': path => async () => {
    if (!(await textOf(path)).includes('In chapter 40 paragraph 4')) throw new Error('text is missing');
  },
  'pdf-texts': folder => async () => {
    for (const name of readdirSync(folder)) {
      if (!(await textOf(join(folder, name))).includes('In chapter 2 paragraph 4')) throw new Error('text is missing');
    }
  },
  'pdf-fill': path => async () => {
    const document = await PDFDocument.load(readFileSync(path));
    const form = document.getForm();
    for (let i = 0; i < 200; i++) form.getTextField(`text${i}`).setText(`Value ${i}`);
    for (let i = 0; i < 50; i++) form.getCheckBox(`check${i}`).check();
    const bytes = await document.save();
    if (bytes.length < 1000) throw new Error('short');
  },
  'pdf-render': path => () => {
    execFileSync('pdftoppm', ['-png', '-r', '108', '-f', '1', '-l', '1', '-singlefile', path, out]);
    if (readFileSync(`${out}.png`).length < 1000) throw new Error('short');
  },
};
