package workspace

import (
	"fmt"
	"path"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/sandboxd/sandboxd/problem"
)

// MaxName is the length of a file's name in bytes, folders included.
const MaxName = 255

// CleanName gives a file name in the one form that is stored: NFC. Names are printable
// Unicode of up to MaxName bytes with folders separated by "/". Anything else is refused
// with invalid_argument: an empty name or folder, "." and "..", an absolute path, a
// backslash, control and direction-changing characters, and spaces around a part, all of
// which make two names look alike or mean something to a file system.
func CleanName(name string) (string, error) {
	if !utf8.ValidString(name) {
		return "", badName(name, "it is not valid UTF-8")
	}
	name = norm.NFC.String(name)
	if reason := nameFault(name); reason != "" {
		return "", badName(name, reason)
	}
	return name, nil
}

func badName(name, reason string) error {
	if len(name) > 2*MaxName {
		name = strings.ToValidUTF8(name[:2*MaxName], "") + "…"
	}
	return problem.New(problem.InvalidArgument, "name: expected a file name such as \"reports/may.csv\", got %q: %s", name, reason).
		With("argument", "name").
		WithHint("Use printable characters, at most %d bytes, folders separated by \"/\", without \"..\".", MaxName)
}

func nameFault(name string) string {
	switch {
	case name == "":
		return "it is empty"
	case len(name) > MaxName:
		return fmt.Sprintf("it has %d bytes, more than %d", len(name), MaxName)
	case strings.HasPrefix(name, "/"):
		return "it is an absolute path"
	case strings.Contains(name, `\`):
		return "it has a backslash; folders are separated by \"/\""
	}
	for _, r := range name {
		if !allowedRune(r) {
			return fmt.Sprintf("the character U+%04X is not allowed", r)
		}
	}
	for part := range strings.SplitSeq(name, "/") {
		switch {
		case part == "":
			return "a folder or the file has no name"
		case part == "." || part == "..":
			return fmt.Sprintf("%q is not a name", part)
		case strings.TrimSpace(part) != part:
			return "there is a space at the beginning or end of a name"
		}
	}
	return ""
}

// allowedRune lets in what shows as something. The two joiners are the exception: Persian
// and Indic text and many emoji cannot be written without them.
func allowedRune(r rune) bool {
	return unicode.IsGraphic(r) || r == '\u200c' || r == '\u200d'
}

// SafeName makes a valid name of any text, such as a name that a web page proposes. Only
// the last part of a path is kept. fallback is used if nothing is left.
func SafeName(text, fallback string) string {
	text = norm.NFC.String(strings.ToValidUTF8(text, "_"))
	if i := strings.LastIndexAny(text, `/\`); i >= 0 {
		text = text[i+1:]
	}
	text = strings.Map(func(r rune) rune {
		if !allowedRune(r) {
			return '_'
		}
		return r
	}, text)
	text = strings.TrimSpace(text)
	if len(text) > MaxName {
		ext := extension(text)
		text = cut(strings.TrimSuffix(text, ext), MaxName-len(ext)) + ext
	}
	if nameFault(text) != "" {
		return fallback
	}
	return text
}

// numbered gives "name (n).ext", shortened where it would get too long.
func numbered(name string, n int) string {
	ext := extension(name)
	suffix := fmt.Sprintf(" (%d)%s", n, ext)
	return cut(strings.TrimSuffix(name, ext), MaxName-len(suffix)) + suffix
}

// extension is the extension with its dot; none for a dot file, or if it is absurdly long.
func extension(name string) string {
	ext := path.Ext(name)
	if len(ext) > 32 || ext == path.Base(name) {
		return ""
	}
	return ext
}

// cut shortens to at most n bytes without breaking a character.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return strings.TrimSpace(s[:n])
}

var workspaceName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// CheckWorkspace refuses a workspace name that could not be a folder's name everywhere.
func CheckWorkspace(name string) error {
	if workspaceName.MatchString(name) && !strings.HasSuffix(name, ".") {
		return nil
	}
	return problem.New(problem.InvalidArgument, "workspace: expected a name such as \"team-1\", got %q", cut(name, 100)).
		With("argument", "workspace").
		WithHint("Use 1 to 64 letters, digits, dots, dashes and underscores, beginning with a letter or digit.")
}
