package workspace

import (
	"path"
	"strings"

	"github.com/gabriel-vasile/mimetype"
)

const octetStream = "application/octet-stream"

// sniffBytes is how much of a file its type is told from; mimetype looks at no more.
const sniffBytes = 3072

// textTypes are types that bytes alone cannot tell from plain text, so for text, and for
// text only, the extension decides.
var textTypes = map[string]string{
	".txt": "text/plain", ".log": "text/plain", ".ini": "text/plain", ".conf": "text/plain", ".env": "text/plain",
	".csv": "text/csv", ".tsv": "text/tab-separated-values", ".tab": "text/tab-separated-values",
	".md": "text/markdown", ".markdown": "text/markdown", ".rst": "text/x-rst", ".tex": "text/x-tex",
	".json": "application/json", ".geojson": "application/geo+json", ".ipynb": "application/x-ipynb+json",
	".jsonl": "application/x-ndjson", ".ndjson": "application/x-ndjson",
	".yaml": "application/yaml", ".yml": "application/yaml", ".toml": "application/toml",
	".xml": "application/xml", ".svg": "image/svg+xml",
	".html": "text/html", ".htm": "text/html", ".xhtml": "application/xhtml+xml", ".css": "text/css",
	".js": "text/javascript", ".mjs": "text/javascript", ".cjs": "text/javascript", ".jsx": "text/javascript",
	".ts": "text/typescript", ".tsx": "text/typescript", ".mts": "text/typescript",
	".py": "text/x-python", ".go": "text/x-go", ".rs": "text/x-rust", ".java": "text/x-java", ".c": "text/x-c", ".h": "text/x-c",
	".cpp": "text/x-c++", ".rb": "text/x-ruby", ".php": "text/x-php", ".sh": "text/x-shellscript", ".sql": "application/sql",
	".ics": "text/calendar", ".vcf": "text/vcard", ".vtt": "text/vtt", ".srt": "application/x-subrip", ".eml": "message/rfc822",
}

// mimeOf tells a file's type from its first bytes. Within text it is what was declared, if
// that says more than text/plain, or else what the name says; of other bytes a declared type
// is believed where they leave it open.
func mimeOf(head []byte, name, declared string) string {
	declared = mediaType(declared)
	byName := textTypes[strings.ToLower(path.Ext(name))]
	if len(head) == 0 {
		switch {
		case declared != "":
			return declared
		case byName != "":
			return byName
		case path.Ext(name) == "":
			return "text/plain"
		}
		return octetStream
	}
	found, text := sniff(head)
	switch {
	case text && isTextType(declared) && declared != "text/plain" && byName != "":
		return declared // the name alone would not have led to another
	case text && byName != "":
		return byName
	case text && found == "text/plain" && isTextType(declared):
		return declared
	case found == octetStream && declared != "" && !isTextType(declared):
		return declared
	}
	return found
}

// fetchedType is mimeOf of what a server sent: its name is believed before its type.
func fetchedType(head []byte, name, declared string) string {
	if textTypes[strings.ToLower(path.Ext(name))] != "" && isTextType(mediaType(declared)) {
		declared = ""
	}
	return mimeOf(head, name, declared)
}

// renamedType is the type of a file that got another name: text follows its extension.
func renamedType(current, name string) string {
	if byName := textTypes[strings.ToLower(path.Ext(name))]; byName != "" && isTextType(current) {
		return byName
	}
	return current
}

// sniff never fails: a detector that panics has met bytes that it does not know.
func sniff(head []byte) (found string, text bool) {
	defer func() {
		if recover() != nil {
			found, text = octetStream, false
		}
	}()
	m := mimetype.Detect(head)
	for at := m; at != nil; at = at.Parent() {
		text = text || at.Is("text/plain")
	}
	return mediaType(m.String()), text
}

func isTextType(t string) bool {
	if strings.HasPrefix(t, "text/") || strings.HasSuffix(t, "+json") || strings.HasSuffix(t, "+xml") {
		return true
	}
	for _, known := range textTypes {
		if t == known {
			return true
		}
	}
	return false
}

// mediaType is "type/subtype" in lower case without parameters, or "" for anything else.
func mediaType(t string) string {
	t, _, _ = strings.Cut(t, ";")
	t = strings.ToLower(strings.TrimSpace(t))
	kind, sub, ok := strings.Cut(t, "/")
	if !ok || kind == "" || sub == "" || len(t) > 127 {
		return ""
	}
	for _, r := range t {
		if r <= ' ' || r > '~' {
			return ""
		}
	}
	return t
}
