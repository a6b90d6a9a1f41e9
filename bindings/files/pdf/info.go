package pdf

import (
	"context"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/sandboxd/sandboxd/bindings/files/pdf/pdfium"
	"github.com/sandboxd/sandboxd/op"
)

// secret is in the options of everything that opens a PDF.
type secret struct {
	Password string `json:"password,omitempty" doc:"Password of the file if it is encrypted, the user's or the owner's"`
}

// repair is in the answer of everything that opens a PDF.
type repair struct {
	Repaired bool `json:"repaired,omitempty" doc:"True if the file was damaged and could be repaired"`
}

// box is a rectangle as operations answer it.
type box struct {
	X      float64 `json:"x" doc:"Left edge, in points from the left of the page"`
	Y      float64 `json:"y" doc:"Lower edge, in points from the bottom of the page"`
	Width  float64 `json:"width" doc:"In points"`
	Height float64 `json:"height" doc:"In points"`
}

func boxOf(r pdfium.Rect) box {
	return box{points(r.Left), points(r.Bottom), points(r.Width()), points(r.Height())}
}

// points rounds to hundredths: a point is a 72nd of an inch. What is no number becomes 0.
func points(v float64) float64 {
	if v = math.Round(v*100) / 100; math.IsNaN(v) || math.IsInf(v, 0) {
		return 0
	}
	return v
}

type infoIn struct {
	FileID  string `json:"file_id" doc:"File id or name"`
	Options secret `json:"options,omitempty" op:"options"`
}

type pageSize struct {
	Page     int     `json:"page" doc:"Counted from 1"`
	Width    float64 `json:"width" doc:"In points, as a person sees the page"`
	Height   float64 `json:"height" doc:"In points, as a person sees the page"`
	Rotation int     `json:"rotation,omitempty" doc:"Degrees that the page is turned clockwise: 90, 180 or 270"`
	Label    string  `json:"label,omitempty" doc:"What viewers call the page where that is not its number, such as iv"`
}

type infoOut struct {
	PageCount int        `json:"page_count" doc:"Number of pages"`
	Pages     []pageSize `json:"pages" doc:"Size of each page"`

	Title      string `json:"title" doc:"\"\" if there is none; so are the following"`
	Author     string `json:"author"`
	Subject    string `json:"subject"`
	Keywords   string `json:"keywords"`
	Creator    string `json:"creator" doc:"The program that the document was written with"`
	Producer   string `json:"producer" doc:"The program that made the PDF of it"`
	CreatedOn  string `json:"created_on" doc:"ISO 8601 UTC"`
	ModifiedOn string `json:"modified_on" doc:"ISO 8601 UTC"`

	Version     string `json:"version" doc:"Version of PDF, such as 1.7"`
	HasForms    bool   `json:"has_forms" doc:"Whether there are form fields; see getFormFields"`
	FormType    string `json:"form_type" enum:"none,acroform,xfa,acroform+xfa" doc:"Forms of XFA alone can neither be shown nor filled"`
	Encrypted   bool   `json:"encrypted" doc:"Also for files that open without a password"`
	Signatures  int    `json:"signatures" doc:"Number of digital signatures; a change of the file makes them invalid"`
	Attachments int    `json:"attachments" doc:"Number of files inside"`
	Tagged      bool   `json:"tagged" doc:"Whether it is made for screen readers"`
	repair
}

var formTypes = map[pdfium.FormType]string{
	pdfium.NoForm: "none", pdfium.AcroForm: "acroform", pdfium.XFAFull: "xfa", pdfium.XFAForeign: "acroform+xfa",
}

func info(ctx context.Context, env *op.Env, in infoIn) (out infoOut, err error) {
	err = read(ctx, env, in.FileID, in.Options.Password, func(v *view) error {
		out.PageCount, out.Repaired = v.pages, v.repaired
		if err := out.facts(v.doc); err != nil {
			return err
		}
		for i := range v.pages {
			if err := ctx.Err(); err != nil {
				return err
			}
			p, err := sizeOf(v.doc, i)
			if err != nil {
				return err
			}
			out.Pages = append(out.Pages, p)
		}
		return nil
	})
	return out, err
}

// sizeOf describes a page; one that cannot be read has no size.
func sizeOf(doc *pdfium.Document, i int) (p pageSize, err error) {
	p.Page = i + 1
	width, height, err := doc.PageSize(i)
	if err != nil {
		if doc.Broken() {
			return p, err
		}
		return p, nil
	}
	p.Width, p.Height = points(width), points(height)
	if p.Rotation, err = doc.Rotation(i); err != nil {
		return p, err
	}
	p.Label, err = doc.PageLabel(i)
	if p.Label == strconv.Itoa(i+1) {
		p.Label = ""
	}
	return p, err
}

// facts fills in what is said of the document as a whole.
func (out *infoOut) facts(doc *pdfium.Document) error {
	var created, modified string
	for key, value := range map[string]*string{
		"Title": &out.Title, "Author": &out.Author, "Subject": &out.Subject, "Keywords": &out.Keywords,
		"Creator": &out.Creator, "Producer": &out.Producer, "CreationDate": &created, "ModDate": &modified,
	} {
		text, err := doc.Metadata(key)
		if err != nil {
			return err
		}
		*value = text
	}
	out.CreatedOn, out.ModifiedOn = isoDate(created), isoDate(modified)
	form, err := doc.FormType()
	if err != nil {
		return err
	}
	out.FormType, out.HasForms = formTypes[form], form != pdfium.NoForm
	if out.FormType == "" {
		out.FormType = "none"
	}
	version, err := doc.Version()
	if err != nil {
		return err
	}
	out.Version = strconv.Itoa(version/10) + "." + strconv.Itoa(version%10)
	if out.Encrypted, err = doc.Encrypted(); err != nil {
		return err
	}
	if out.Signatures, err = doc.Signatures(); err != nil {
		return err
	}
	if out.Attachments, err = doc.Attachments(); err != nil {
		return err
	}
	out.Tagged, err = doc.Tagged()
	return err
}

// isoDate turns a date of PDF (D:20240131120000+02'00') into ISO 8601 UTC; "" if it is none.
func isoDate(text string) string {
	s := strings.TrimPrefix(strings.TrimSpace(text), "D:")
	digits := len(s) - len(strings.TrimLeft(s, "0123456789"))
	zone := strings.ReplaceAll(strings.TrimSuffix(s[digits:], "'"), "'", "")
	layout := "20060102150405"
	if digits = min(digits, len(layout)); digits < 4 {
		return ""
	}
	digits -= digits % 2
	t, err := time.Parse(layout[:digits], s[:digits])
	if err != nil {
		return ""
	}
	for _, form := range []string{"-0700", "-07"} {
		if offset, err := time.Parse(form, zone); err == nil {
			_, seconds := offset.Zone()
			t = t.Add(-time.Duration(seconds) * time.Second)
			break
		}
	}
	return t.UTC().Format("2006-01-02T15:04:05.000Z")
}
