package pdf

import (
	"strings"

	"github.com/sandboxd/sandboxd/bindings/files/pdf/fonts"
	"github.com/sandboxd/sandboxd/bindings/files/pdf/typeset"
	"github.com/sandboxd/sandboxd/engine"
	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/problem"
)

// standardFor are the families that have the widths of a standard one, or are known to
// mean it, without case, spaces and hyphens. One that is installed goes before.
var standardFor = map[string]string{
	"arial": "Helvetica", "helveticaneue": "Helvetica", "liberationsans": "Helvetica", "sansserif": "Helvetica", "sans": "Helvetica",
	"timesnewroman": "Times", "timesnewromanps": "Times", "liberationserif": "Times", "serif": "Times",
	"couriernew": "Courier", "couriernewps": "Courier", "liberationmono": "Courier", "monospace": "Courier", "mono": "Courier",
}

// fontEndings are the words for styles that names end in, as in Times-BoldItalic,
// Arial Bold and ArialMT.
var fontEndings = []struct {
	word         string
	bold, italic bool
}{
	{"bold", true, false}, {"italic", false, true}, {"oblique", false, true},
	{"roman", false, false}, {"regular", false, false}, {"normal", false, false}, {"mt", false, false},
}

// setFont sets the family that a name means, and the style that the name says. The error
// lists the fonts that there are.
func setFont(env *op.Env, look *typeset.Style, name string) error {
	set, missing := engine.Of[*fonts.Set](env.Engines, fonts.Name)
	for choice := range strings.SplitSeq(name, ",") { // a list is in the order of preference
		if family, style, ok := familyOf(set, choice); ok {
			look.Family, look.Bold, look.Italic = family, look.Bold || style.Bold, look.Italic || style.Italic
			return nil
		}
	}
	if missing != nil {
		return missing
	}
	return problem.New(problem.InvalidArgument, "font: there is no font %q", name).
		WithHint("There are Helvetica, Times, Courier, %s.", strings.Join(set.Families(), ", ")).With("argument", "font")
}

// familyOf finds a family by a name that may end in a style.
func familyOf(set *fonts.Set, name string) (family string, style fonts.Style, ok bool) {
	name = strings.NewReplacer(" ", "", "-", "", "_", "", `"`, "", "'", "").Replace(strings.ToLower(name))
	for {
		switch standard := standardFor[name]; {
		case typeset.Standard(name), set != nil && name != "" && set.Lookup(name):
			return name, style, true
		case standard != "":
			return standard, style, true
		}
		shorter := name
		for _, ending := range fontEndings {
			if rest, found := strings.CutSuffix(name, ending.word); found {
				shorter, style.Bold, style.Italic = rest, style.Bold || ending.bold, style.Italic || ending.italic
				break
			}
		}
		if shorter == name {
			return "", style, false
		}
		name = shorter
	}
}
