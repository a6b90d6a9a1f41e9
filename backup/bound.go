package backup

import (
	"errors"
	"fmt"
	"io"
)

// ErrTooLarge says that a backup has more than there is room for.
var ErrTooLarge = errors.New("the backup does not fit")

// manifestBytes is how large a manifest may be; it has 150 bytes for each workspace.
const manifestBytes = 256 << 20

// fileBytes is what a file takes beside its bytes, so that many empty ones are bounded too.
const fileBytes = 4 << 10

// Within bounds what a source gives, unpacked, in bytes: a stream of zeros is a thousand
// times as large as what is read of it.
func Within(source Source, bytes int64) Source {
	return func(place func(name string, src io.Reader) error) error {
		left := bytes
		tooLarge := fmt.Errorf("%w: it has more than the %d bytes that there is room for", ErrTooLarge, bytes)
		return source(func(name string, src io.Reader) error {
			if left -= fileBytes; left < 0 {
				return tooLarge
			}
			b := &bounded{src: src, left: left, err: tooLarge}
			err := place(name, b)
			left = b.left
			return err
		})
	}
}

// bounded reads so many bytes and then fails.
type bounded struct {
	src  io.Reader
	left int64
	err  error
}

func (b *bounded) Read(p []byte) (int, error) {
	if int64(len(p)) > b.left+1 { // one more tells an end from too much
		p = p[:b.left+1]
	}
	n, err := b.src.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, b.err
	}
	return n, err
}
