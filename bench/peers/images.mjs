// What sharp does for the cases of pictures: from file to file, as the operations do.
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const sharp = createRequire(import.meta.url)('sharp');
sharp.cache(false);

const out = ext => join(tmpdir(), `sandboxd-bench-${process.pid}.${ext}`);

const ops = {
  'resize-12': dir => sharp(join(dir, 'p12.jpg')).resize(800).toFile(out('jpg')),
  'resize-48': dir => sharp(join(dir, 'p48.jpg')).resize(800).toFile(out('jpg')),
  'resize-png': dir => sharp(join(dir, 'p12.png')).resize(800).toFile(out('png')),
  crop: dir => sharp(join(dir, 'p12.jpg')).extract({ left: 1000, top: 800, width: 1000, height: 1000 }).toFile(out('jpg')),
  'to-png': dir => sharp(join(dir, 'p12.jpg')).png().toFile(out('png')),
  'to-jpeg': dir => sharp(join(dir, 'p12.png')).jpeg().toFile(out('jpg')),
  'to-webp': dir => sharp(join(dir, 'p12.jpg')).webp().toFile(out('webp')),
  'from-webp': dir => sharp(join(dir, 'p12.webp')).jpeg().toFile(out('jpg')),
  composite: dir => sharp(join(dir, 'p12.jpg')).composite([
    { input: join(dir, 'over.png'), left: 100, top: 100 },
    { input: join(dir, 'over.png'), left: 1500, top: 1200 },
  ]).toFile(out('jpg')),
  base64: async dir => {
    const data = await sharp(join(dir, 'p12.jpg')).resize(512, 512, { fit: 'inside', withoutEnlargement: true }).toBuffer();
    if (data.toString('base64').length === 0) throw new Error('empty');
  },
};
ops.sum = async dir => {
  for (const [name, op] of Object.entries(ops)) if (name !== 'sum') await op(dir);
};

// Work that answers a number has measured itself.
const cpu = op => async dir => {
  const before = process.cpuUsage();
  await op(dir);
  const used = process.cpuUsage(before);
  return (used.user + used.system) / 1000;
};

export const images = {};
for (const [name, op] of Object.entries(ops)) {
  images[`image-${name}`] = dir => async () => { await op(dir); };
  images[`image-${name}-cpu`] = dir => () => cpu(op)(dir);
}
