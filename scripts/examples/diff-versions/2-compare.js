// Compare the last two versions of a file, line by line, by their longest common subsequence.
const [newest, previous] = await files.versions('config.yaml');
const lines = async version =>
  (await files.readText('config.yaml', { version })).content.replace(/\n$/, '').split('\n');
const [before, after] = await Promise.all([lines(previous.version), lines(newest.version)]);

const common = Array.from({ length: before.length + 1 }, () => new Array(after.length + 1).fill(0));
for (let i = before.length - 1; i >= 0; i--) {
  for (let j = after.length - 1; j >= 0; j--) {
    common[i][j] = before[i] === after[j] ? common[i + 1][j + 1] + 1 : Math.max(common[i + 1][j], common[i][j + 1]);
  }
}
let diff = '', i = 0, j = 0;
while (i < before.length || j < after.length) {
  if (i < before.length && j < after.length && before[i] === after[j]) { diff += `  ${before[i]}\n`; i++; j++; }
  else if (j >= after.length || (i < before.length && common[i + 1][j] >= common[i][j + 1])) diff += `- ${before[i++]}\n`;
  else diff += `+ ${after[j++]}\n`;
}
await files.create('config.diff', 'text/plain', { content: diff });
console.log(diff);
return { from: previous.version, to: newest.version, added: diff.match(/^\+/gm).length, removed: diff.match(/^-/gm)?.length ?? 0 };
