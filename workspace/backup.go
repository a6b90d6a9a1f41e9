package workspace

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"

	"modernc.org/sqlite"

	"github.com/sandboxd/sandboxd/problem"
)

// How a backup of a store in use is consistent.
//
// A workspace is whole if its agent's database and the metadata are of one moment. Copying
// takes long, so nobody waits for it: the agents' databases are copied one by one, each
// while its workspace is held. Then comes the moment: while nobody commits anywhere, which
// takes as long as the commits under way, it is made sure that none of the copied
// databases has changed since, and a read transaction of the metadata is begun, which from
// then on sees that moment. Databases that have changed are copied again, and those that
// keep changing are held until the moment. Contents never change, and are kept from being
// collected meanwhile.

// BackupPart is one file of a backup.
type BackupPart struct {
	Name      string // within the data folder, with slashes
	Path      string // where it can be read until put returns
	Size      int64
	Immutable bool // its content never changes, so a hard link will do
}

// copyRounds is how often a database that changes is copied again before it is held.
const copyRounds = 3

// Backup gives put each file of a copy of the data folder that is consistent in itself:
// every run is in it whole or not at all, and those that were committed before the call
// are in it. Runs go on meanwhile.
func (s *Store) Backup(ctx context.Context, put func(BackupPart) error) error {
	s.collecting.Lock()
	defer s.collecting.Unlock()
	if s.isClosed() {
		return errClosed()
	}
	b := &backup{store: s, dir: s.tmpName() + "-backup", copied: map[string]int64{}, held: map[string]func(){}}
	defer os.RemoveAll(b.dir)
	defer b.letGo()
	if err := os.MkdirAll(filepath.Join(b.dir, "db"), 0o700); err != nil {
		return problem.From(fmt.Errorf("back up: %w", err))
	}
	snapshot, err := b.moment(ctx)
	if err == nil {
		err = b.copyMetadata(ctx, snapshot)
	}
	if err == nil {
		err = b.parts(ctx, put)
	}
	return problemOrNil(err)
}

// backup is one at work.
type backup struct {
	store  *Store
	dir    string
	copied map[string]int64  // workspaces, with the number of their database's commits then
	held   map[string]func() // workspaces, with what releases them
}

func (b *backup) letGo() {
	for name, release := range b.held {
		release()
		delete(b.held, name)
	}
}

// moment copies the agents' databases and begins to read the metadata as it is when all of
// the copies are up to date.
func (b *backup) moment(ctx context.Context) (*sql.Conn, error) {
	for round := 0; ; round++ {
		if err := b.store.writer.flush(); err != nil {
			return nil, err
		}
		behind, err := b.behind()
		if err != nil {
			return nil, err
		}
		for _, name := range behind {
			if err := b.copyDB(ctx, name, round >= copyRounds); err != nil {
				return nil, err
			}
		}
		conn, err := b.cut(ctx)
		if conn != nil || err != nil {
			b.letGo()
			return conn, err
		}
	}
}

// cut begins the read of the metadata, or gives nil if a database has changed since.
func (b *backup) cut(ctx context.Context) (conn *sql.Conn, err error) {
	s := b.store
	if err := s.healAll(ctx); err != nil {
		return nil, err
	}
	s.publishing.Lock() // commits under way come to their end, later ones wait
	defer s.publishing.Unlock()
	if s.isClosed() {
		return nil, errClosed()
	}
	if behind, err := b.behind(); err != nil || len(behind) > 0 || s.fences.Load() > 0 {
		return nil, err
	}
	conn, err = s.meta.read.DB.Conn(ctx)
	if err != nil {
		return nil, err
	}
	// The first read is what fixes what the transaction sees.
	if _, err = conn.ExecContext(ctx, "BEGIN"); err == nil {
		var one int
		err = conn.QueryRowContext(ctx, "SELECT id FROM counters").Scan(&one)
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	s.config.Faults("backup.cut")
	return conn, nil
}

// behind lists the workspaces whose database has changed since it was copied.
func (b *backup) behind() (names []string, err error) {
	entries, err := os.ReadDir(filepath.Join(b.store.folder.dir, "db"))
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		name := e.Name()
		if !e.IsDir() || CheckWorkspace(name) != nil {
			continue
		}
		if at, ok := b.copied[name]; !ok || at != b.store.space(name).commits.Load() {
			names = append(names, name)
		}
	}
	return names, nil
}

// copyDB copies the files of a workspace's database, without looking into them: they are
// the agent's.
func (b *backup) copyDB(ctx context.Context, name string, keep bool) error {
	if b.held[name] != nil {
		return nil
	}
	release, err := b.store.Hold(ctx, name)
	if err != nil {
		return err
	}
	if keep {
		b.held[name] = release
	} else {
		defer release()
	}
	b.copied[name] = b.store.space(name).commits.Load()
	from, to := filepath.Join(b.store.folder.dir, "db", name), filepath.Join(b.dir, "db", name)
	for {
		before, err := wal(from)
		if err != nil {
			return err
		}
		if err := copyFlat(ctx, from, to); err != nil {
			return err
		}
		after, err := wal(from)
		if err != nil {
			return err
		}
		// Nobody uses the database, but its process may end for lack of use, and then moves the
		// log into the database. The log's file goes with that.
		if os.SameFile(before, after) || before == nil && after == nil {
			return nil
		}
	}
}

// IsDBFile tells whether an agent's database has a file of this name that a backup needs.
// Nothing else of its folder gets into one, whatever a worker that was taken over has put
// there; what SQLite makes anew is left out.
func IsDBFile(name string) bool {
	return name == "agent.db" || name == "agent.db-wal" || name == "agent.db-journal"
}

// wal gives the write-ahead log of a database's folder, or nil.
func wal(dir string) (fs.FileInfo, error) {
	info, err := os.Lstat(filepath.Join(dir, "agent.db-wal"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return info, err
}

// copyFlat makes a folder of copies of a database's files.
func copyFlat(ctx context.Context, from, to string) error {
	if err := os.RemoveAll(to); err != nil {
		return err
	}
	if err := os.Mkdir(to, 0o700); err != nil {
		return err
	}
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(from) // what became a link since leads nowhere else
	if err != nil {
		return err
	}
	defer root.Close()
	for _, e := range entries {
		if !e.Type().IsRegular() || !IsDBFile(e.Name()) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := copyFile(root, e.Name(), filepath.Join(to, e.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// copyFile copies within the kernel where it can, or not at all where the file system can
// share what is the same.
func copyFile(root *os.Root, name, to string) error {
	src, err := root.Open(name)
	if err != nil {
		return err
	}
	defer src.Close()
	dst, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(dst, src)
	return errors.Join(err, dst.Close())
}

// copyMetadata writes what a read transaction sees, and ends it.
func (b *backup) copyMetadata(ctx context.Context, conn *sql.Conn) error {
	defer conn.Close()
	defer conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
	return conn.Raw(func(driver any) error {
		source, ok := driver.(interface {
			NewBackup(string) (*sqlite.Backup, error)
		})
		if !ok {
			return errors.New("the driver makes no backups")
		}
		to, err := source.NewBackup(b.metadata())
		if err != nil {
			return err
		}
		for more := true; more && err == nil; {
			if more, err = to.Step(1000); err == nil {
				err = ctx.Err()
			}
		}
		return errors.Join(err, to.Finish())
	})
}

func (b *backup) metadata() string { return filepath.Join(b.dir, "sandboxd.db") }

// parts hands over all files of the backup.
func (b *backup) parts(ctx context.Context, put func(BackupPart) error) error {
	give := func(name, path string, immutable bool) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		return put(BackupPart{Name: name, Path: path, Size: info.Size(), Immutable: immutable})
	}
	if err := give("sandboxd.db", b.metadata(), false); err != nil {
		return err
	}
	if token := filepath.Join(b.store.folder.dir, "token"); fileExists(token) {
		if err := give("token", token, false); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(b.copied)) {
		entries, err := os.ReadDir(filepath.Join(b.dir, "db", name))
		if err != nil {
			return err
		}
		for _, e := range entries {
			if err := give("db/"+name+"/"+e.Name(), filepath.Join(b.dir, "db", name, e.Name()), false); err != nil {
				return err
			}
		}
	}
	return eachFiled(ctx, b.metadata(), func(hash string, size int64) error {
		return give("files/"+diskPath(hash), b.store.folder.blob(hash), true)
	})
}

func fileExists(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// eachFiled goes through the contents that a metadata database, which nobody else has open,
// knows to be in files/.
func eachFiled(ctx context.Context, path string, do func(hash string, size int64) error) error {
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?immutable=1")
	if err != nil {
		return err
	}
	defer db.Close()
	rows, err := db.QueryContext(ctx, "SELECT hash, size FROM blobs WHERE data IS NULL ORDER BY hash")
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var hash string
		var size int64
		if err := rows.Scan(&hash, &size); err != nil {
			return err
		}
		if err := do(hash, size); err != nil {
			return err
		}
	}
	return rows.Err()
}

// healAll brings fenced workspaces up to date, or answers busy.
func (s *Store) healAll(ctx context.Context) error {
	s.mu.Lock()
	spaces := slices.Collect(maps.Values(s.spaces))
	s.mu.Unlock()
	for _, sp := range spaces {
		if err := s.heal(ctx, sp); err != nil {
			return err
		}
	}
	return nil
}
