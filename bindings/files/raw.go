package files

import (
	"context"
	"encoding/base64"
	"strings"

	"github.com/sandboxd/sandboxd/bindings/files/text"
	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/problem"
)

// maxChunk is the most bytes that one call reads or writes.
const maxChunk = 8 << 20

type readBytesIn struct {
	ID     string `json:"id" doc:"File id or name"`
	Offset int64  `json:"offset" min:"0" doc:"First byte to read (0-based)"`
	Length int64  `json:"length" min:"0" max:"8388608" doc:"Bytes to read, at most 8 MB; fewer are answered at the end of the file"`
}

type readBytesOut struct {
	Data string `json:"data" op:"result" doc:"The bytes in base64"`
	Size int64  `json:"size" doc:"The file's size, in bytes"`
}

func readBytes(ctx context.Context, env *op.Env, in readBytesIn) (out readBytesOut, err error) {
	err = view(ctx, env, in.ID, 0, false, func(file host.File, b *text.Buffer) error {
		if in.Offset > b.Size() {
			return behindEnd(in.Offset, b.Size())
		}
		data := make([]byte, min(in.Length, maxChunk, b.Size()-in.Offset))
		if len(data) > 0 {
			if _, err := b.ReadAt(data, in.Offset); err != nil {
				return failedTo("read", file.Name, err)
			}
		}
		out = readBytesOut{Data: base64.StdEncoding.EncodeToString(data), Size: b.Size()}
		return nil
	})
	return out, err
}

type writeBytesIn struct {
	ID     string `json:"id" doc:"File id or name"`
	Offset int64  `json:"offset" min:"0" doc:"Where the first byte goes (0-based), at most the file's size"`
	Data   string `json:"data" js:"base64data" doc:"The bytes in base64, at most 8 MB of them"`
}

type bytesOut struct {
	OK   bool  `json:"ok" doc:"Always true"`
	Size int64 `json:"size" doc:"The file's size now, in bytes"`
}

func writeBytes(ctx context.Context, env *op.Env, in writeBytesIn) (bytesOut, error) {
	return putBytes(ctx, env, in.ID, in.Data, func(size int64) (int64, error) {
		if in.Offset > size {
			return 0, behindEnd(in.Offset, size)
		}
		return in.Offset, nil
	})
}

type appendBytesIn struct {
	ID   string `json:"id" doc:"File id or name"`
	Data string `json:"data" js:"base64data" doc:"The bytes in base64, at most 8 MB of them"`
}

func appendBytes(ctx context.Context, env *op.Env, in appendBytesIn) (bytesOut, error) {
	return putBytes(ctx, env, in.ID, in.Data, func(size int64) (int64, error) { return size, nil })
}

// putBytes lays bytes over the file from the place that where gives for its size.
func putBytes(ctx context.Context, env *op.Env, ref, base64data string, where func(size int64) (int64, error)) (out bytesOut, err error) {
	data, err := decodeBase64(base64data)
	if err != nil {
		return out, err
	}
	err = edit(ctx, env, ref, false, func(d *document) error {
		at, err := where(d.content.Size())
		if err != nil {
			return err
		}
		_, err = d.change(func(b *text.Buffer) (*text.Lacks, error) {
			return nil, b.Splice(at, min(at+int64(len(data)), b.Size()), data)
		})
		if err != nil {
			return err
		}
		out = bytesOut{OK: true, Size: d.content.Size()}
		return nil
	})
	return out, orCreate(err, ref)
}

// decodeBase64 takes standard base64 with padding (RFC 4648 section 4) and nothing else.
func decodeBase64(s string) ([]byte, error) {
	bad := problem.New(problem.InvalidArgument, "data: expected base64 with padding")
	if base64.StdEncoding.DecodedLen(len(s)) > maxChunk+2 {
		return nil, problem.New(problem.InvalidArgument, "data: expected at most %d bytes", maxChunk).
			WithHint("Write it in several calls, for example with files.appendBytes.")
	}
	if strings.HasPrefix(s, "data:") {
		return nil, bad.WithHint("Leave out everything up to the comma of the data URL.")
	}
	if strings.ContainsAny(s, "\r\n") {
		return nil, bad.WithHint("Remove the line breaks.")
	}
	data, err := base64.StdEncoding.Strict().DecodeString(s)
	if err != nil {
		if strings.ContainsAny(s, "-_") {
			return nil, bad.WithHint("This is the URL-safe alphabet: use + for - and / for _.").WithCause(err)
		}
		return nil, bad.WithHint("btoa makes it of a string of bytes; for text use files.writeText or files.append.").WithCause(err)
	}
	return data, nil
}

func behindEnd(offset, size int64) error {
	return problem.New(problem.InvalidArgument, "offset %d is behind the end: the file has %d bytes", offset, size).With("size", size)
}
