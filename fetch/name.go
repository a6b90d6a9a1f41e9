package fetch

import (
	"mime"
	"net/http"
	"net/url"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gabriel-vasile/mimetype"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/unicode/norm"
)

// maxName is the longest file name, in bytes.
const maxName = 200

// mediaType is the type that the server says, without parameters.
func mediaType(header http.Header) string {
	kind, _, err := mime.ParseMediaType(header.Get("Content-Type"))
	if err != nil {
		return ""
	}
	return kind
}

// fileName finds a name for a download: that of Content-Disposition (RFC 6266), else the
// last part of the address's path, with an extension by the type if it has none.
func fileName(disposition string, u *url.URL, mimeType string) string {
	name := clean(dispositionName(disposition))
	if name == "" {
		name = clean(path.Base(u.Path))
	}
	if name == "" {
		name = "download"
	}
	if path.Ext(name) == "" && mimeType != "application/octet-stream" {
		if known := mimetype.Lookup(mimeType); known != nil {
			name += known.Extension()
		}
	}
	return name
}

// dispositionName gives filename* or else filename. Servers write the latter in many
// ways that RFC 6266 does not know: raw UTF-8 or Latin-1, and RFC 2047 words.
func dispositionName(disposition string) string {
	if disposition == "" {
		return ""
	}
	_, params, err := mime.ParseMediaType(disposition)
	name := params["filename"]
	if err != nil || name == "" {
		name = looseName(disposition)
	}
	if decoded, err := new(mime.WordDecoder).DecodeHeader(name); err == nil {
		name = decoded
	}
	if !utf8.ValidString(name) {
		name, _ = charmap.Windows1252.NewDecoder().String(name)
	}
	return name
}

// looseName finds filename=… in a header that does not parse.
func looseName(disposition string) string {
	for part := range strings.SplitSeq(disposition, ";") {
		key, value, found := strings.Cut(part, "=")
		if found && strings.EqualFold(strings.TrimSpace(key), "filename") {
			return strings.Trim(strings.TrimSpace(value), `"`)
		}
	}
	return ""
}

// clean makes a plain file name of what a server sent: no folders, no characters that
// are invisible or change how the name reads, none that a file system refuses. The
// answer is "" if nothing is left.
func clean(name string) string {
	name = norm.NFC.String(strings.ToValidUTF8(name, ""))
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	name = strings.Map(func(r rune) rune {
		switch {
		case strings.ContainsRune(`<>:"|?*`, r):
			return '_'
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r):
			return -1
		}
		return r
	}, name)
	name = strings.TrimRight(strings.TrimLeft(name, " ."), " .")
	if len(name) <= maxName {
		return name
	}
	ext := path.Ext(name)
	if len(ext) > 20 {
		ext = ""
	}
	stem := name[:maxName-len(ext)]
	for !utf8.ValidString(stem) {
		stem = stem[:len(stem)-1]
	}
	return strings.TrimRight(stem, " .") + ext
}
