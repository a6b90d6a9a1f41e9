// Files over HTTP as they are usually served from Node: express, with multer for uploads,
// which writes them to a folder, and express's own download. Prints its address.
import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream, mkdirSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import express from 'express';
import multer from 'multer';

const folder = process.argv[2];
mkdirSync(folder, { recursive: true });
const app = express();
const upload = multer({ dest: folder, limits: { fileSize: 50 * 1024 * 1024 } });
app.post('/api/files/upload', upload.single('file'), (req, res) => {
  res.status(201).json({ id: req.file.filename, name: req.file.originalname, size: req.file.size, mime_type: req.file.mimetype });
});

// The same, but what was answered with 201 is there after a power cut, and known by its
// hash, which is what sandboxd promises: a storage for multer that does that.
const durable = multer({
  limits: { fileSize: 50 * 1024 * 1024 },
  storage: {
    _handleFile(req, file, done) {
      keep(file.stream).then(kept => done(null, kept), done);
    },
    _removeFile(req, file, done) {
      rm(file.path).then(() => done(null), done);
    },
  },
});
async function keep(stream) {
  const hash = createHash('sha256');
  const part = join(folder, `${randomUUID()}.part`);
  let size = 0;
  await pipeline(stream, async function* (chunks) {
    for await (const chunk of chunks) {
      hash.update(chunk);
      size += chunk.length;
      yield chunk;
    }
  }, createWriteStream(part, { flags: 'wx', flush: true }));
  const filename = hash.digest('hex');
  const path = join(folder, filename);
  await rename(part, path);
  const dir = await open(folder, 'r');
  await dir.sync();
  await dir.close();
  return { filename, path, size };
}
app.post('/durable/upload', durable.single('file'), (req, res) => {
  res.status(201).json({ id: req.file.filename, name: req.file.originalname, size: req.file.size, mime_type: req.file.mimetype });
});

app.get('/api/files/:id/download', (req, res) => res.download(join(folder, req.params.id)));
const server = app.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
server.keepAliveTimeout = 60_000; // the other side's turns may take longer than the 5 s it is otherwise
