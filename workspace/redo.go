package workspace

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
)

// A redo record lies in the agent's database, whose bytes are the agent's: a worker that a
// hostile statement took over writes there what it likes. So a record begins with a seal,
// made with a key that no worker has, over the workspace, the run and the rest: what was
// made up, changed, or taken from another run or workspace is not applied.

// sealKey gives the key of the seals.
func sealKey(ctx context.Context, m *metadata) ([]byte, error) { return secret(ctx, m, "redo") }

// Secret gives a key of 32 random bytes that this data folder has under a name.
func (s *Store) Secret(ctx context.Context, name string) ([]byte, error) {
	return secret(ctx, s.meta, name)
}

// secret gives a key, which is made once and stays with the metadata.
func secret(ctx context.Context, m *metadata, name string) ([]byte, error) {
	fresh := make([]byte, sha256.Size)
	if _, err := rand.Read(fresh); err != nil {
		return nil, err
	}
	row := secretRow{Name: name, Value: hex.EncodeToString(fresh)}
	if _, err := m.write.NewInsert().Model(&row).On("CONFLICT (name) DO NOTHING").Exec(ctx); err != nil {
		return nil, fmt.Errorf("make the key %q: %w", name, err)
	}
	if err := m.write.NewSelect().Model(&row).Where("k.name = ?", row.Name).Scan(ctx); err != nil {
		return nil, fmt.Errorf("read the key %q: %w", name, err)
	}
	key, err := hex.DecodeString(row.Value)
	if err != nil || len(key) != sha256.Size {
		return nil, fmt.Errorf("the key %q is damaged", name)
	}
	return key, nil
}

func (s *Store) seal(workspace, runID string, record []byte) []byte {
	mac := hmac.New(sha256.New, s.key)
	fmt.Fprintf(mac, "%s\x00%s\x00", workspace, runID) // neither has a NUL
	mac.Write(record)
	return mac.Sum(nil)
}

// maxRedo bounds the redo record within the agent's database, which keeps a little room
// for it beyond the agent's own limit. A larger one is a file that the record names.
const maxRedo = 1 << 20

// movedRedo is the record of a redo record that is a file.
type movedRedo struct {
	Elsewhere string `json:"elsewhere"` // its hash
}

// writeRedo encodes a change. If it is too large it is published like a content, which
// nobody knows and the next sweep removes; that is answered.
func (s *Store) writeRedo(c *change) (redo []byte, moved *blob, err error) {
	if redo, err = json.Marshal(c); err != nil {
		return nil, nil, err
	}
	sealed := func(record []byte) []byte { return append(s.seal(c.Run.Workspace, c.Run.ID, record), record...) }
	if len(redo) <= maxRedo {
		return sealed(redo), nil, nil
	}
	sum := sha256.Sum256(redo)
	moved = &blob{hash: hex.EncodeToString(sum[:]), size: int64(len(redo)), data: redo}
	if err := moved.spill(s.tmpName()); err != nil {
		return nil, nil, err
	}
	if err := s.blobs.keep(moved); err != nil {
		return nil, moved, err
	}
	if redo, err = json.Marshal(movedRedo{moved.hash}); err != nil {
		return nil, moved, err
	}
	return sealed(redo), moved, nil
}

// readRedo decodes what writeRedo made for a run of a workspace, and nothing else.
func (s *Store) readRedo(workspace string, m Marker) (*change, error) {
	if len(m.Redo) < sha256.Size {
		return nil, errForged
	}
	seal, redo := m.Redo[:sha256.Size], m.Redo[sha256.Size:]
	if !hmac.Equal(seal, s.seal(workspace, m.RunID, redo)) {
		return nil, errForged
	}
	var moved movedRedo
	if err := json.Unmarshal(redo, &moved); err != nil {
		return nil, err
	}
	if moved.Elsewhere != "" {
		if raw, err := hex.DecodeString(moved.Elsewhere); err != nil || len(raw) != sha256.Size {
			return nil, fmt.Errorf("the record names %q", moved.Elsewhere)
		}
		var err error
		if redo, err = os.ReadFile(s.folder.blob(moved.Elsewhere)); err != nil {
			return nil, err
		}
	}
	var c change
	if err := json.Unmarshal(redo, &c); err != nil {
		return nil, err
	}
	return &c, nil
}

var errForged = errors.New("the record was not written by this host for this run")
