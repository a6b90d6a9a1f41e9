package pdf

import (
	"context"

	"github.com/sandboxd/sandboxd/bindings/files/pdf/document"
	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/problem"
)

type encryptIn struct {
	FileID  string `json:"file_id" doc:"File id or name"`
	Options struct {
		UserPassword  string   `json:"user_password,omitempty" doc:"Opens the file. Without it anybody can, with what allow says."`
		OwnerPassword string   `json:"owner_password,omitempty" doc:"Opens it with all rights. Defaults to user_password."`
		Allow         []string `json:"allow,omitempty" enum:"print,copy,modify,annotate,fill" doc:"What may be done with the user password. Defaults to all of it. Viewers follow this by convention."`
		secret
	} `json:"options,omitempty" op:"options"`
}

var permissions = map[string]document.Permission{
	"print": document.Print, "copy": document.Copy, "modify": document.Modify, "annotate": document.Annotate, "fill": document.Fill,
}

func encrypt(ctx context.Context, env *op.Env, in encryptIn) (out repair, err error) {
	user, owner := in.Options.UserPassword, in.Options.OwnerPassword
	if user == "" && owner == "" {
		user = in.Options.Password // what somebody means who names but one
	}
	if user == "" && owner == "" {
		return out, problem.New(problem.InvalidArgument, "expected a user password or an owner password, got neither").With("argument", "user_password")
	}
	if owner == "" {
		owner = user
	}
	var allow document.Permission
	for name, bits := range permissions {
		if len(in.Options.Allow) == 0 {
			allow |= bits
		}
		for _, allowed := range in.Options.Allow {
			if allowed == name {
				allow |= bits
			}
		}
	}
	return rewrite(ctx, env, in.FileID, in.Options.Password, func(g *graph) error {
		d := g.doc
		d.Encrypt(user, owner, allow)
		return nil
	})
}

type decryptIn struct {
	FileID  string `json:"file_id" doc:"File id or name"`
	Options secret `json:"options,omitempty" op:"options"`
}

func decrypt(ctx context.Context, env *op.Env, in decryptIn) (out repair, err error) {
	return rewrite(ctx, env, in.FileID, in.Options.Password, func(g *graph) error {
		d := g.doc
		d.Decrypt()
		return nil
	})
}

type optimizeIn struct {
	FileID  string `json:"file_id" doc:"File id or name"`
	Options secret `json:"options,omitempty" op:"options"`
}

type optimizeOut struct {
	Before int `json:"size_before" doc:"In bytes"`
	After  int `json:"size_after" doc:"In bytes; the same if the file could not be made smaller and was left as it was"`
	repair
}

func optimize(ctx context.Context, env *op.Env, in optimizeIn) (out optimizeOut, err error) {
	err = edit(ctx, env, in.FileID, in.Options.Password, func(src source) ([]byte, error) {
		d, repaired, err := src.graph(ctx, env)
		if err != nil {
			return nil, err
		}
		out.Before, out.After = len(src.data), len(src.data)
		if err := d.Optimize(ctx, min(env.Limits.Memory/4, env.Limits.InflatedBytes)); err != nil {
			return nil, err
		}
		data, err := written(ctx, env.Limits.FileBytes, d, src.file.Name)
		if err != nil || len(data) >= len(src.data) && !repaired {
			return nil, err
		}
		out.After, out.Repaired = len(data), repaired
		return data, nil
	})
	return out, err
}
