// The other side of the benchmark: does on demand what sandboxd does, with the libraries
// that people use for it in Node. Reads one JSON request a line, {"case", "arg", "n"}, and
// answers one line, {"ms"}: how long the n repetitions took, or {"error"}.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { images } from './images.mjs';
import { pdfs } from './pdf.mjs';
import { assembling } from './pdfassemble.mjs';
import { spreadsheets } from './spreadsheets.mjs';

const cases = {
  ...images,
  ...pdfs,
  ...assembling,
  ...spreadsheets,
  // A fresh isolate that evaluates 1+1, as isolated-vm is meant to be used for untrusted code.
  async isolate() {
    const { default: ivm } = await import('isolated-vm');
    return async () => {
      const isolate = new ivm.Isolate({ memoryLimit: 128 });
      const context = await isolate.createContext();
      const value = await context.eval('1+1', { timeout: 1000 });
      isolate.dispose();
      if (value !== 2) throw new Error(`1+1 is ${value}`);
    };
  },
  // One megabyte of text, a character at a time.
  async concat() {
    return () => {
      let s = '';
      for (let i = 0; i < 1 << 20; i++) s += 'x';
      if (Buffer.byteLength(s) !== 1 << 20) throw new Error('short');
    };
  },
  // Twenty lines from the middle of a file, as a script without ranges gets them.
  async range(path) {
    return () => {
      const lines = readFileSync(path, 'utf8').split('\n');
      const middle = lines.length >> 1;
      if (lines.slice(middle, middle + 20).join('\n').length === 0) throw new Error('empty');
    };
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const { case: name, arg, n = 1 } = JSON.parse(line);
  try {
    const work = await cases[name](arg);
    const ms = [];
    for (let i = 0; i < n; i++) {
      const start = performance.now();
      const own = await work(); // work that measures itself answers what it took
      ms.push(own ?? performance.now() - start);
    }
    console.log(JSON.stringify({ ms }));
  } catch (error) {
    console.log(JSON.stringify({ error: String(error) }));
  }
}
