// What pdf-lib does for the cases of putting PDFs together. Like on the other side, the
// results end up as files.
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const { PDFDocument, StandardFonts } = createRequire(import.meta.url)('pdf-lib');
const folder = mkdtempSync(join(tmpdir(), 'sandboxd-bench-'));
const save = async (document, name) => {
  const bytes = await document.save();
  if (bytes.length < 500) throw new Error('short');
  writeFileSync(join(folder, name), bytes);
};

export const assembling = {
  'pdf-merge': start => async () => {
    const merged = await PDFDocument.create();
    for (let i = 0; i < 20; i++) {
      const part = await PDFDocument.load(readFileSync(start + i));
      for (const page of await merged.copyPages(part, part.getPageIndices())) merged.addPage(page);
    }
    if (merged.getPageCount() !== 410) throw new Error('wrong');
    await save(merged, 'merged.pdf');
  },
  'pdf-split': path => async () => {
    const whole = await PDFDocument.load(readFileSync(path));
    for (const i of whole.getPageIndices()) {
      const part = await PDFDocument.create();
      const [page] = await part.copyPages(whole, [i]);
      part.addPage(page);
      await save(part, `part-${i}.pdf`);
    }
  },
  'pdf-number': path => async () => {
    const document = await PDFDocument.load(readFileSync(path));
    const font = await document.embedFont(StandardFonts.Helvetica);
    document.getPages().forEach((page, i) => {
      const text = `${i + 1} / 100`;
      page.drawText(text, { x: 297 - font.widthOfTextAtSize(text, 9) / 2, y: 20, size: 9, font });
    });
    await save(document, 'numbered.pdf');
  },
};
