package pdf

import (
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
	"time"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/sandboxd/sandboxd/bindings/files/pdf/document"
	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/problem"
)

// metadata are the entries that may be set; nil leaves one as it is, "" takes it away.
type metadata struct {
	Title     *string `json:"title,omitempty"`
	Author    *string `json:"author,omitempty"`
	Subject   *string `json:"subject,omitempty"`
	Keywords  *string `json:"keywords,omitempty" doc:"Separated by commas"`
	Creator   *string `json:"creator,omitempty" doc:"The program that the document was written with"`
	Producer  *string `json:"producer,omitempty" doc:"The program that made the PDF of it"`
	CreatedOn *string `json:"created_on,omitempty" doc:"ISO 8601, such as 2024-01-31T12:00:00Z"`
}

type setMetadataIn struct {
	FileID   string   `json:"file_id" doc:"File id or name"`
	Metadata metadata `json:"metadata" doc:"What is to be set; \"\" takes an entry away, others stay as they are"`
	Options  secret   `json:"options,omitempty" op:"options"`
}

func setMetadata(ctx context.Context, env *op.Env, in setMetadataIn) (out repair, err error) {
	if in.Metadata.CreatedOn != nil && *in.Metadata.CreatedOn != "" {
		if _, err := parseTime(*in.Metadata.CreatedOn); err != nil {
			return out, problem.New(problem.InvalidArgument, "created_on: expected a date such as 2024-01-31T12:00:00Z, got %q", *in.Metadata.CreatedOn).With("argument", "created_on")
		}
	}
	return rework(ctx, env, in.FileID, in.Options.Password, func(g *graph) error {
		d := g.doc
		in.Metadata.apply(d)
		return nil
	})
}

func parseTime(text string) (time.Time, error) {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t, err = time.Parse(time.DateOnly, text)
	}
	return t, err
}

// apply sets the entries, and writes the XMP of a document that has one anew.
func (m metadata) apply(d *document.Document) {
	if d.Info == nil {
		d.Info = types.Dict{}
	}
	for key, value := range map[string]*string{
		"Title": m.Title, "Author": m.Author, "Subject": m.Subject, "Keywords": m.Keywords, "Creator": m.Creator, "Producer": m.Producer,
	} {
		switch {
		case value == nil:
		case *value == "":
			delete(d.Info, key)
		default:
			d.Info[key] = document.String(*value)
		}
	}
	if m.CreatedOn != nil {
		delete(d.Info, "CreationDate")
		if t, err := parseTime(*m.CreatedOn); err == nil {
			d.Info["CreationDate"] = types.StringLiteral(t.UTC().Format("D:20060102150405Z"))
		}
	}
	if d.Catalog["Metadata"] != nil {
		d.Catalog["Metadata"] = d.Add(types.StreamDict{
			Dict: types.Dict{"Type": types.Name("Metadata"), "Subtype": types.Name("XML")}, Raw: xmp(d),
		})
	}
}

// xmp writes the information dictionary as XMP, which some viewers prefer.
func xmp(d *document.Document) []byte {
	var b bytes.Buffer
	entry := func(key, format string) {
		if text, ok := d.Text(d.Info[key]); ok && text != "" {
			var escaped bytes.Buffer
			_ = xml.EscapeText(&escaped, []byte(text)) // a buffer takes everything
			fmt.Fprintf(&b, format, escaped.Bytes())
		}
	}
	b.WriteString("<?xpacket begin=\"\ufeff\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>\n<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"><rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">" +
		"<rdf:Description rdf:about=\"\" xmlns:dc=\"http://purl.org/dc/elements/1.1/\" xmlns:pdf=\"http://ns.adobe.com/pdf/1.3/\" xmlns:xmp=\"http://ns.adobe.com/xap/1.0/\">\n")
	entry("Title", "<dc:title><rdf:Alt><rdf:li xml:lang=\"x-default\">%s</rdf:li></rdf:Alt></dc:title>\n")
	entry("Author", "<dc:creator><rdf:Seq><rdf:li>%s</rdf:li></rdf:Seq></dc:creator>\n")
	entry("Subject", "<dc:description><rdf:Alt><rdf:li xml:lang=\"x-default\">%s</rdf:li></rdf:Alt></dc:description>\n")
	entry("Keywords", "<pdf:Keywords>%s</pdf:Keywords>\n")
	entry("Producer", "<pdf:Producer>%s</pdf:Producer>\n")
	entry("Creator", "<xmp:CreatorTool>%s</xmp:CreatorTool>\n")
	b.WriteString("</rdf:Description></rdf:RDF></x:xmpmeta>\n<?xpacket end=\"w\"?>")
	return b.Bytes()
}
