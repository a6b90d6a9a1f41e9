// Uploads a file with tus-js-client, gives up in the middle, and goes on with a new upload
// object that knows the address alone.
import { createReadStream, statSync } from 'node:fs';
import { createRequire } from 'node:module';
const require = createRequire(new URL('../../bench/peers/', import.meta.url));
const tus = require('tus-js-client');
const [, , endpoint, token, path] = process.argv;

const common = {
  endpoint, chunkSize: 1 << 20, retryDelays: [100, 300, 1000], uploadSize: statSync(path).size,
  headers: { Authorization: `Bearer ${token}` }, metadata: { filename: 'big.bin', filetype: 'application/octet-stream' },
};

const address = await new Promise((resolve, reject) => {
  const upload = new tus.Upload(createReadStream(path), {
    ...common,
    onError: reject,
    onProgress(sent) {
      if (sent > 7 << 20) upload.abort().then(() => resolve(upload.url), reject);
    },
  });
  upload.start();
});

await new Promise((resolve, reject) => {
  let first = true;
  const upload = new tus.Upload(createReadStream(path), {
    ...common, uploadUrl: address,
    onError: reject,
    onProgress(sent) {
      if (first) console.log(`went on from ${sent}`);
      first = false;
    },
    onSuccess({ lastResponse }) {
      console.log(`it is file ${lastResponse.getHeader('Sandboxd-File-Id')}`);
      resolve();
    },
  });
  upload.start();
});
