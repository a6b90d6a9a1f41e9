package main

import (
	"encoding"
	"fmt"
	"reflect"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/alecthomas/kong"
	"go.yaml.in/yaml/v3"
)

type configCmd struct {
	JSON bool `help:"Print JSON: {file, settings: [{name, value, source}]}."`
	serverSettings
}

// Help is shown below the summary.
func (configCmd) Help() string {
	return `Settings come from flags, from the environment and from a file, in this order. The file is the one that --config or
SANDBOXD_CONFIG names, else ~/.config/sandboxd/config.yaml, else /etc/sandboxd/config.yaml. What is printed is such a file, with
where each value came from; a secret is masked.

  listen: 0.0.0.0:8420
  host: [sandbox.example]
  limits:
    wall_time: 2m
    memory: 1GB
  retention:
    versions: 30d`
}

// setting is one as it is in effect.
type setting struct {
	Name   string `json:"name"`
	Value  any    `json:"value"` // text, or a list of texts
	Source string `json:"source"`
	flag   *kong.Flag
}

func (c *configCmd) Run(a *app, parsed *kong.Context) error {
	settings := effective(parsed, a.config)
	if c.JSON {
		file := ""
		if a.config != nil {
			file = a.config.path
		}
		return a.printJSON(map[string]any{"file": file, "settings": settings})
	}
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	group := ""
	for _, s := range settings {
		name, in, grouped := strings.Cut(s.Name, ".")
		switch {
		case !grouped:
			group = ""
		case name != group:
			group = name
			fmt.Fprintf(w, "%s:\n", group)
		}
		if grouped {
			name = "  " + in
		}
		value, err := inYAML(s.Value)
		if err != nil {
			return err
		}
		if _, masked := s.flag.Target.Interface().(secret); masked || s.Value == "" {
			name = "# " + name // as a value it would mean something else
		}
		fmt.Fprintf(w, "%s: %s\t# %s\n", name, value, s.Source)
	}
	return w.Flush()
}

// effective lists the settings of the command that was parsed, and where each came from.
func effective(parsed *kong.Context, file *configFile) []setting {
	given := map[string]bool{} // at the command line
	for _, step := range parsed.Path {
		if step.Flag != nil && !step.Resolved {
			given[step.Flag.Name] = true
		}
	}
	var settings []setting
	for _, flag := range parsed.Selected().Flags {
		if len(flag.Envs) == 0 {
			continue
		}
		s := setting{Name: settingKey(flag.Name), Value: shown(flag.Target), Source: "default", flag: flag}
		variable := fromEnvironment(flag)
		switch {
		case given[flag.Name]:
			s.Source = "--" + flag.Name
		case variable != "":
			s.Source = variable
		case file != nil && file.values[flag.Name].line > 0:
			s.Source = fmt.Sprintf("%s:%d", file.path, file.values[flag.Name].line)
		}
		settings = append(settings, s)
	}
	return settings
}

// shown is a value as it is written in a file.
func shown(v reflect.Value) any {
	if v.Kind() == reflect.Slice {
		list := []string{}
		for i := range v.Len() {
			list = append(list, fmt.Sprint(shown(v.Index(i))))
		}
		return list
	}
	if d, ok := v.Interface().(time.Duration); ok {
		return brief(d)
	}
	if m, ok := v.Interface().(encoding.TextMarshaler); ok {
		if text, err := m.MarshalText(); err == nil {
			return strings.ToLower(string(text))
		}
	}
	return fmt.Sprint(v.Interface())
}

// brief is a time without the zeros at its end: 1h, not 1h0m0s.
func brief(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// inYAML writes a text or a list in one line.
func inYAML(value any) (string, error) {
	var node yaml.Node
	if err := node.Encode(value); err != nil {
		return "", err
	}
	if text, ok := value.(string); ok && node.Style == yaml.DoubleQuotedStyle && text != "" {
		node.Style, node.Tag = 0, "" // a number is as good as its text
	}
	node.Style |= yaml.FlowStyle
	text, err := yaml.Marshal(&node)
	return strings.TrimSpace(string(text)), err
}
