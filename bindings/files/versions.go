package files

import (
	"context"

	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/problem"
)

type version struct {
	Version    int64  `json:"version" doc:"Counts from 1"`
	Name       string `json:"name" doc:"The file's name then"`
	Size       int64  `json:"size" doc:"Bytes"`
	MimeType   string `json:"mime_type" js:"mime_type" doc:"Detected from the bytes"`
	Hash       string `json:"hash" doc:"SHA-256 of the content, hex"`
	Action     string `json:"action" enum:"created,modified,renamed,deleted,restored" doc:"What made it"`
	RunID      string `json:"run_id" js:"run_id" doc:"The run that made it, or empty"`
	ModifiedOn string `json:"modified_on" js:"modified_on" doc:"ISO 8601 UTC"`
}

type versionsOut struct {
	Versions []version `json:"versions" op:"result" doc:"Newest first"`
}

func versions(ctx context.Context, env *op.Env, in fileIn) (versionsOut, error) {
	out := versionsOut{Versions: []version{}}
	all, err := env.Host.Versions(ctx, in.ID)
	for _, v := range all {
		out.Versions = append(out.Versions, version{v.Version, v.Name, v.Size, v.MimeType, v.Hash, v.Action, v.RunID, v.ModifiedOn})
	}
	return out, err
}

type restoreIn struct {
	ID      string `json:"id" doc:"File id or name; of a deleted file, too"`
	Version int64  `json:"version" min:"1" doc:"The version to make the newest one, as listed by files.versions"`
}

type restoredOut struct {
	ID      string `json:"id" doc:"UUID"`
	Name    string `json:"name" doc:"The file's name"`
	Size    int64  `json:"size" doc:"Bytes"`
	Version int64  `json:"version" doc:"The number of the new version"`
}

func restore(ctx context.Context, env *op.Env, in restoreIn) (out restoredOut, err error) {
	do := func(ref string) error {
		f, err := env.Host.Restore(ctx, ref, in.Version)
		out = restoredOut{f.ID, f.Name, f.Size, f.Version}
		return err
	}
	err = taking(ctx, env, in.ID, do)
	if problem.CodeOf(err) == problem.NotFound { // deleted: there is nothing to take turns on
		err = do(in.ID)
	}
	return out, err
}
