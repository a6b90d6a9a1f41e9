package workspace

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
)

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
	if redo, err = json.Marshal(c); err != nil || len(redo) <= maxRedo {
		return redo, nil, err
	}
	sum := sha256.Sum256(redo)
	moved = &blob{hash: hex.EncodeToString(sum[:]), size: int64(len(redo)), data: redo}
	if err := moved.spill(s.tmpName()); err != nil {
		return nil, nil, err
	}
	if err := s.blobs.publish([]*blob{moved}); err != nil {
		return nil, moved, err
	}
	redo, err = json.Marshal(movedRedo{moved.hash})
	return redo, moved, err
}

// readRedo decodes what writeRedo made.
func (s *Store) readRedo(redo []byte) (*change, error) {
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
