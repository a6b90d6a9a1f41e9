package files

import (
	"context"
	"io"

	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/problem"
)

type listIn struct {
	Pattern string `json:"pattern,omitempty" doc:"Optional glob pattern to filter files: * and ? within a folder, ** across folders, {a,b}, [a-z]"`
}

type listed struct {
	ID         string `json:"id" doc:"UUID"`
	Name       string `json:"name" doc:"With its folders, such as reports/may.csv"`
	Size       int64  `json:"size" doc:"Bytes"`
	MimeType   string `json:"mime_type" js:"mime_type" doc:"Detected from the bytes"`
	ModifiedOn string `json:"modified_on" js:"modified_on" doc:"ISO 8601 UTC"`
}

type listOut struct {
	Files []listed `json:"files" op:"result" doc:"Ordered by name"`
}

func list(ctx context.Context, env *op.Env, in listIn) (listOut, error) {
	out := listOut{Files: []listed{}}
	all, err := env.Host.List(ctx, in.Pattern)
	for _, f := range all {
		out.Files = append(out.Files, listed{f.ID, f.Name, f.Size, f.MimeType, f.ModifiedOn})
	}
	return out, err
}

type infoOut struct {
	ID              string `json:"id" doc:"UUID"`
	Name            string `json:"name" doc:"With its folders"`
	MimeType        string `json:"mime_type" js:"mime_type" doc:"Detected from the bytes"`
	Size            int64  `json:"size" doc:"Bytes"`
	Source          string `json:"source" enum:"upload,created,derived" doc:"Where it came from"`
	SourceSessionID string `json:"source_session_id" js:"source_session_id" doc:"The session that uploaded or created it"`
	CreatedOn       string `json:"created_on" js:"created_on" doc:"ISO 8601 UTC"`
	ModifiedOn      string `json:"modified_on" js:"modified_on" doc:"ISO 8601 UTC"`
	Version         int64  `json:"version" doc:"Counts from 1; every committed change is a version"`
	Hash            string `json:"hash" doc:"SHA-256 of the content, hex"`
}

func info(ctx context.Context, env *op.Env, in fileIn) (infoOut, error) {
	f, err := env.Host.Stat(ctx, in.ID)
	return infoOut{f.ID, f.Name, f.MimeType, f.Size, f.Source, f.SourceSessionID, f.CreatedOn, f.ModifiedOn, f.Version, f.Hash}, err
}

type createIn struct {
	Name     string `json:"name" doc:"Filename, folders with /"`
	MimeType string `json:"mime_type,omitempty" js:"mime" doc:"Optional MIME type. Auto-detected if omitted."`
	Options  struct {
		Content string `json:"content,omitempty" doc:"Optional initial text content"`
	} `op:"options"`
}

// namedOut is a file that an operation made or renamed.
type namedOut struct {
	ID   string `json:"id" doc:"UUID"`
	Name string `json:"name" doc:"The file's name"`
}

func create(ctx context.Context, env *op.Env, in createIn) (namedOut, error) {
	content := in.Options.Content
	if err := mustBeText("content", content); err != nil {
		return namedOut{}, err
	}
	if int64(len(content)) > env.Limits.FileBytes {
		return namedOut{}, tooLarge(in.Name, int64(len(content)), env.Limits.FileBytes)
	}
	file := host.NewFile{Name: in.Name, MimeType: in.MimeType, Source: host.SourceCreated}
	if content != "" {
		stage, err := env.Host.Stage(ctx)
		if err != nil {
			return namedOut{}, err
		}
		defer stage.Data.Close()
		if _, err := io.WriteString(stage.Data, content); err != nil {
			return namedOut{}, failedTo("write", in.Name, err)
		}
		file.Stage = stage.ID
	}
	f, err := env.Host.Create(ctx, file)
	return namedOut{f.ID, f.Name}, err
}

type deletedOut struct {
	Deleted bool `json:"deleted" doc:"False if there was no such file"`
}

func remove(ctx context.Context, env *op.Env, in fileIn) (deletedOut, error) {
	err := taking(ctx, env, in.ID, func(id string) error {
		_, err := env.Host.Delete(ctx, id)
		return err
	})
	if problem.CodeOf(err) == problem.NotFound {
		return deletedOut{}, nil
	}
	return deletedOut{Deleted: err == nil}, err
}

type renameIn struct {
	ID      string `json:"id" doc:"File id or name"`
	NewName string `json:"new_name" doc:"New filename, folders with /"`
}

func copyFile(ctx context.Context, env *op.Env, in renameIn) (namedOut, error) {
	f, err := env.Host.Copy(ctx, in.ID, in.NewName)
	return namedOut{f.ID, f.Name}, err
}

func rename(ctx context.Context, env *op.Env, in renameIn) (out namedOut, err error) {
	err = taking(ctx, env, in.ID, func(id string) error {
		f, err := env.Host.Rename(ctx, id, in.NewName)
		out = namedOut{f.ID, f.Name}
		return err
	})
	return out, err
}

type downloadIn struct {
	URL      string `json:"url" doc:"http or https URL to download; its host must have a public address"`
	Filename string `json:"filename,omitempty" doc:"Optional filename. Inferred from the answer or the URL if omitted; a taken name becomes \"name (2).ext\"."`
}

type downloadOut struct {
	ID       string `json:"id" doc:"UUID"`
	Name     string `json:"name" doc:"The name it got"`
	Size     int64  `json:"size" doc:"Bytes"`
	MimeType string `json:"mime_type" js:"mime_type" doc:"Detected from the bytes"`
}

func download(ctx context.Context, env *op.Env, in downloadIn) (downloadOut, error) {
	f, err := env.Host.Fetch(ctx, in.URL, in.Filename)
	return downloadOut{f.ID, f.Name, f.Size, f.MimeType}, err
}

// taking does something to a whole file in its turn among the edits of that file.
func taking(ctx context.Context, env *op.Env, ref string, do func(id string) error) error {
	id, err := idOf(ctx, env, ref)
	if err != nil {
		return err
	}
	unlock, err := env.Lock(ctx, id)
	if err != nil {
		return err
	}
	defer unlock()
	return do(id)
}
