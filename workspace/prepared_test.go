package workspace

import (
	"context"
	"slices"
	"testing"
)

// What a compiled statement writes is what the model reads.
func TestPreparedInserts(t *testing.T) {
	ctx, s := t.Context(), storeWith(t, nil)
	commits := func() (n int64) {
		if err := s.meta.read.NewSelect().Table("counters").Column("runs").Scan(ctx, &n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	before := commits()
	filed := blobRow{Hash: "filed", Size: 1 << 20, CreatedOn: "2026-01-01T00:00:00.000Z"}
	empty := blobRow{Hash: "empty", Data: []byte{}, CreatedOn: "2026-01-01T00:00:00.000Z"}
	file := fileRow{ID: "id", Name: "O'Neill \"?\".csv", MimeType: "text/csv", Size: 1, DiskPath: "aa/bb", Source: "upload", SourceSessionID: "s",
		CreatedOn: "c", ModifiedOn: "m", Workspace: "w", Version: 2, Hash: "filed"}
	paid := []workspaceBlobRow{{Workspace: "w", Hash: "filed", Size: 1 << 20}, {Workspace: "w", Hash: "empty"}}
	for round, fresh := range [][]bool{{true, true}, {false, false}} {
		err := s.writer.do(nil, func(ctx context.Context, b *batch) error {
			if err := b.statements.blobs.write(ctx, b.tx, []blobRow{filed, empty}); err != nil {
				return err
			}
			if err := b.statements.files.write(ctx, b.tx, []fileRow{file}); err != nil {
				return err
			}
			got, err := b.statements.workspaceBlobs.rows(ctx, b.tx, paid)
			if !slices.Equal(got, fresh) {
				t.Errorf("round %d: fresh %v", round, got)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		var got fileRow
		if err := s.meta.read.NewSelect().Model(&got).Scan(ctx); err != nil || got != file {
			t.Errorf("round %d: %+v %v", round, got, err)
		}
		file.Name, file.Version = "renamed.csv", 3
	}
	known, err := s.filedHashes(ctx, []string{"filed", "empty"})
	if err != nil || !known["filed"] || known["empty"] {
		t.Errorf("in files/: %v %v", known, err) // an empty content is not one that lies elsewhere
	}
	if n := commits() - before; n != 2 {
		t.Errorf("%d commits were counted", n)
	}
}
