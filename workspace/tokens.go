package workspace

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"github.com/sandboxd/sandboxd/access"
	"github.com/sandboxd/sandboxd/problem"
)

type tokenRow struct {
	bun.BaseModel `bun:"table:tokens,alias:t"`

	ID          string `bun:"id,pk"`
	Name        string `bun:"name"`
	Workspace   string `bun:"workspace"`
	Scopes      string `bun:"scopes"`
	Hash        string `bun:"hash"`
	SessionHash string `bun:"session_hash"`
	CreatedOn   string `bun:"created_on"`
	ExpiresOn   string `bun:"expires_on"`
	RevokedOn   string `bun:"revoked_on"`
}

// Token is what is known of a token; the token itself is not.
type Token struct {
	ID        string         `json:"id"`
	Name      string         `json:"name"`
	Workspace string         `json:"workspace"` // access.Everywhere or one
	Scopes    []access.Scope `json:"scopes"`
	CreatedOn string         `json:"created_on"`
	ExpiresOn string         `json:"expires_on"` // "" is never
	RevokedOn string         `json:"revoked_on"` // "" is not
}

func (row *tokenRow) token() Token {
	t := Token{ID: row.ID, Name: row.Name, Workspace: row.Workspace, CreatedOn: row.CreatedOn, ExpiresOn: row.ExpiresOn, RevokedOn: row.RevokedOn}
	for _, scope := range strings.Fields(row.Scopes) {
		t.Scopes = append(t.Scopes, access.Scope(scope))
	}
	return t
}

// NewToken describes a token to be made.
type NewToken struct {
	Name      string // for people
	Workspace string // access.Everywhere or one
	Scopes    []access.Scope
	For       time.Duration // how long it is good. Defaults to for ever.
}

// CreateToken makes a token and answers it with its text, which cannot be had again.
func (s *Store) CreateToken(ctx context.Context, n NewToken) (Token, string, error) {
	if n.Workspace != access.Everywhere {
		if err := CheckWorkspace(n.Workspace); err != nil {
			return Token{}, "", err
		}
	}
	var words []string
	for _, scope := range n.Scopes {
		words = append(words, string(scope))
	}
	scopes, err := access.ParseScopes(words...)
	switch {
	case err != nil:
		return Token{}, "", err
	case len(n.Name) > 200 || strings.ContainsRune(n.Name, 0):
		return Token{}, "", problem.New(problem.InvalidArgument, "name: expected at most 200 bytes without NUL").With("argument", "name")
	case n.For < 0:
		return Token{}, "", problem.New(problem.InvalidArgument, "a token cannot have expired before it is made").With("argument", "expires_in")
	}
	id, text := access.NewToken()
	row := tokenRow{ID: id, Name: strings.ToValidUTF8(n.Name, "\uFFFD"), Workspace: n.Workspace, Hash: access.Hash(text),
		SessionHash: access.Hash(access.Session(text)), CreatedOn: s.now()}
	for i, scope := range scopes {
		if i > 0 {
			row.Scopes += " "
		}
		row.Scopes += string(scope)
	}
	if n.For > 0 {
		row.ExpiresOn = s.config.Now().Add(n.For).UTC().Format(timeFormat)
	}
	err = s.writer.do(nil, func(ctx context.Context, b *batch) error {
		_, err := b.tx.NewInsert().Model(&row).Exec(ctx)
		return err
	})
	if err != nil {
		return Token{}, "", problem.From(err)
	}
	return row.token(), text, nil
}

// Tokens lists the tokens of a workspace, or with access.Everywhere all that there are, the
// revoked ones too, oldest first.
func (s *Store) Tokens(ctx context.Context, workspace string) ([]Token, error) {
	var rows []tokenRow
	query := s.meta.read.NewSelect().Model(&rows).Order("created_on", "id")
	if workspace != access.Everywhere {
		query = query.Where("t.workspace = ?", workspace)
	}
	if err := query.Scan(ctx); err != nil {
		return nil, problem.From(fmt.Errorf("list tokens: %w", err))
	}
	tokens := make([]Token, len(rows))
	for i := range rows {
		tokens[i] = rows[i].token()
	}
	return tokens, nil
}

// RevokeToken ends a token of a workspace, or with access.Everywhere any, from now on.
// Revoking it again changes nothing.
func (s *Store) RevokeToken(ctx context.Context, workspace, id string) (Token, error) {
	row, err := s.tokenRow(ctx, id)
	if err != nil {
		return Token{}, err
	}
	if row == nil || workspace != access.Everywhere && row.Workspace != workspace {
		return Token{}, problem.New(problem.NotFound, "there is no token %q", cut(id, 100)).WithHint("The list of tokens has their ids.")
	}
	if row.RevokedOn != "" {
		return row.token(), nil
	}
	row.RevokedOn = s.now()
	err = s.writer.do(nil, func(ctx context.Context, b *batch) error {
		_, err := b.tx.NewUpdate().Model(row).Column("revoked_on").WherePK().Exec(ctx)
		return err
	})
	if err != nil {
		return Token{}, problem.From(err)
	}
	return row.token(), nil
}

// A token that is not known is compared with this, and so takes as long as one that is.
var nobody = &tokenRow{Hash: access.Hash("nobody"), SessionHash: access.Hash("nobody"), RevokedOn: "always"}

// CheckToken gives the token with this text if it is good, and CheckSession the one that a
// browser's cookie stands for; unauthorized otherwise.
func (s *Store) CheckToken(ctx context.Context, text string) (Token, error) {
	id, _ := access.TokenID(text)
	return s.checkToken(ctx, id, func(row *tokenRow) bool { return access.Matches(text, row.Hash) })
}

// CheckSession is told of with CheckToken.
func (s *Store) CheckSession(ctx context.Context, id, session string) (Token, error) {
	return s.checkToken(ctx, id, func(row *tokenRow) bool { return access.Matches(session, row.SessionHash) })
}

// TokenByID gives the token with this id if it is good: for what was signed in its name.
func (s *Store) TokenByID(ctx context.Context, id string) (Token, error) {
	return s.checkToken(ctx, id, func(*tokenRow) bool { return true })
}

func (s *Store) checkToken(ctx context.Context, id string, proves func(*tokenRow) bool) (Token, error) {
	row, err := s.tokenRow(ctx, id)
	if err != nil {
		return Token{}, err
	}
	if row == nil {
		row = nobody
	}
	proven := proves(row)
	if !proven || row.RevokedOn != "" || row.ExpiresOn != "" && row.ExpiresOn <= s.now() {
		return Token{}, problem.New(problem.Unauthorized, "the token is not known, has expired or was revoked")
	}
	return row.token(), nil
}

// tokenRow reads a token, or nil.
func (s *Store) tokenRow(ctx context.Context, id string) (*tokenRow, error) {
	var row tokenRow
	err := s.meta.read.NewSelect().Model(&row).Where("t.id = ?", id).Scan(ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, problem.From(fmt.Errorf("read a token: %w", err))
	}
	return &row, nil
}
