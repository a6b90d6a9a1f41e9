package access

import (
	"context"
	"time"
)

// Links makes addresses that are good for one upload place or one file, without a token
// and for a while, so that a model need not carry a file's bytes.
type Links interface {
	// Upload gives an address that takes a file with PUT, or with POST as a form.
	Upload(ctx context.Context, c Caller, grant UploadGrant) (Link, error)
	// Download gives an address that answers a file's bytes to GET.
	Download(ctx context.Context, c Caller, grant DownloadGrant) (Link, error)
}

// UploadGrant says what an upload link takes.
type UploadGrant struct {
	Workspace string
	Name      string // of the file; "" leaves it to whoever uploads
	Replace   bool   // makes a new version of a file of that name
	Session   string
	For       time.Duration // how long it is good. Defaults to 15 min, at most 24 h.
}

// DownloadGrant says what a download link gives.
type DownloadGrant struct {
	Workspace string
	File      string // id or name; not_found if there is none
	Version   int64  // 0 is the one that is the latest when the link is used
	For       time.Duration
}

// Link is a signed address.
type Link struct {
	URL       string `json:"url"`
	Method    string `json:"method"`     // to use it with: PUT or GET
	ExpiresOn string `json:"expires_on"` // ISO 8601 UTC
}
