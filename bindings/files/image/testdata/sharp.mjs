// sharp's answers to what the operations do: reads one JSON request a line, {"file", "op",
// "args", "overlay"}, and answers one line, {"info"} or {"width", "height", "data"} with RGBA
// in base64.
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';

const sharp = createRequire(process.argv[2] + '/peer.mjs')('sharp');
sharp.cache(false);

const ops = {
  convert: image => image,
  resize: (image, args) => image.resize(args),
  crop: (image, args) => image.extract(args),
  rotate: (image, args) => image.rotate(args.angle),
  flip: image => image.flop(),
  autoOrient: image => image.autoOrient(),
  composite: (image, args) => image.composite([args]),
  grayscale: image => image.grayscale().toColourspace('srgb'),
  blur: (image, args) => image.blur(args.sigma),
  pad: (image, args) => image.extend(args),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { file, op, args } = JSON.parse(line);
  try {
    if (op === 'info') {
      console.log(JSON.stringify({ info: { ...await sharp(file).metadata(), exif: undefined, icc: undefined, xmp: undefined, iptc: undefined, tifftagPhotoshop: undefined, comments: undefined, gainMap: undefined } }));
      continue;
    }
    if (op === 'avif') {
      await sharp(file).avif().toFile(args.to);
      console.log('{}');
      continue;
    }
    const { data, info } = await ops[op](sharp(file), args).toColourspace('srgb').ensureAlpha().raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true });
    console.log(JSON.stringify({ width: info.width, height: info.height, channels: info.channels, data: data.toString('base64') }));
  } catch (error) {
    console.log(JSON.stringify({ error: String(error) }));
  }
}
