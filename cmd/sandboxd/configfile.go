package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	"go.yaml.in/yaml/v3"
)

// configFile is the settings of a file, by the names of their flags.
type configFile struct {
	path   string
	values map[string]fileValue
}

type fileValue struct {
	value any // string or []any of strings
	line  int
}

var _ kong.Resolver = (*configFile)(nil)

// findConfig gives the file that is used if none is named: the user's, or the machine's.
func findConfig() string {
	places := []string{"/etc/sandboxd/config.yaml"}
	if dir, err := os.UserConfigDir(); err == nil {
		places = append([]string{filepath.Join(dir, "sandboxd", "config.yaml")}, places...)
	}
	for _, path := range places {
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	return ""
}

// readConfig reads a file of settings. What it does not know is an error: a misspelt limit
// would not limit.
func readConfig(path string) (*configFile, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		if pathErr := new(fs.PathError); errors.As(err, &pathErr) {
			err = pathErr.Err
		}
		return nil, fmt.Errorf("the configuration %s cannot be read: %w", path, err)
	}
	c := &configFile{path: path, values: map[string]fileValue{}}
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		return nil, fmt.Errorf("the configuration %s is not YAML: %s", path, strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if len(document.Content) == 0 {
		return c, nil // empty
	}
	return c, c.add("", document.Content[0], known())
}

// known lists the settings that a file may have, by the names of their flags.
func known() []string {
	parser, err := kong.New(&serverSettings{})
	if err != nil {
		panic(err) // a mistake in the tags
	}
	var names []string
	for _, flag := range parser.Model.Flags {
		if len(flag.Envs) > 0 {
			names = append(names, flag.Name)
		}
	}
	return names
}

func (c *configFile) add(group string, node *yaml.Node, known []string) error {
	if node.Kind == yaml.ScalarNode && node.Tag == "!!null" {
		return nil // a group without anything
	}
	if node.Kind != yaml.MappingNode {
		return c.wrong(node, "expected settings such as \"listen: 127.0.0.1:8420\"")
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		if value.Kind == yaml.AliasNode {
			value = value.Alias
		}
		name := strings.ReplaceAll(key.Value, "_", "-")
		if group == "" && slices.Contains(groups, name) {
			if err := c.add(name, value, known); err != nil {
				return err
			}
			continue
		}
		if group != "" {
			name = group + "-" + name
		}
		if !slices.Contains(known, name) {
			return c.wrong(key, "there is no setting %s; did you mean %s?", settingKey(name), settingKey(nearest(name, known)))
		}
		if _, twice := c.values[name]; twice {
			return c.wrong(key, "%s is there twice", settingKey(name))
		}
		v := fileValue{line: key.Line}
		switch value.Kind {
		case yaml.ScalarNode:
			v.value = value.Value
		case yaml.SequenceNode:
			list := []any{}
			for _, item := range value.Content {
				if item.Kind != yaml.ScalarNode {
					return c.wrong(item, "%s: expected a list of texts", settingKey(name))
				}
				list = append(list, item.Value)
			}
			v.value = list
		default:
			return c.wrong(value, "%s: expected a value or a list", settingKey(name))
		}
		c.values[name] = v
	}
	return nil
}

func (c *configFile) wrong(node *yaml.Node, format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s", c.path, node.Line, fmt.Sprintf(format, args...))
}

// Validate implements kong.Resolver.
func (c *configFile) Validate(*kong.Application) error { return nil }

// Resolve implements kong.Resolver: the environment goes before the file.
func (c *configFile) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	if len(flag.Envs) == 0 || fromEnvironment(flag) != "" {
		return nil, nil
	}
	v, ok := c.values[flag.Name]
	if !ok {
		return nil, nil
	}
	if text, one := v.value.(string); one && flag.IsSlice() {
		return []any{text}, nil
	}
	if _, many := v.value.([]any); many && !flag.IsSlice() {
		return nil, fmt.Errorf("%s:%d: expected one value, got a list", c.path, v.line)
	}
	return v.value, nil
}

// explain adds the place to an error that is about a value of the file.
func (c *configFile) explain(err error) error {
	if c == nil {
		return err
	}
	for name, v := range c.values {
		if strings.HasPrefix(err.Error(), "--"+name+":") || strings.HasPrefix(err.Error(), "--"+name+"=") {
			return fmt.Errorf("%s:%d: %s%w", c.path, v.line, settingKey(name)+": ", stripped{err, name})
		}
	}
	return err
}

// stripped is an error without the flag in front.
type stripped struct {
	error
	flag string
}

func (s stripped) Error() string {
	_, rest, _ := strings.Cut(s.error.Error(), ": ")
	return rest
}

func (s stripped) Unwrap() error { return s.error }

// fromEnvironment names the variable that sets a flag, if one does.
func fromEnvironment(flag *kong.Flag) string {
	for _, name := range flag.Envs {
		if _, set := os.LookupEnv(name); set {
			return name
		}
	}
	return ""
}

// settingKey is a setting's name in the file: limits.wall_time for limits-wall-time.
func settingKey(name string) string {
	for _, group := range groups {
		if rest, ok := strings.CutPrefix(name, group+"-"); ok {
			return group + "." + strings.ReplaceAll(rest, "-", "_")
		}
	}
	return strings.ReplaceAll(name, "-", "_")
}

// nearest gives the name of a list that takes the fewest edits to become another one. One
// that ends the same, such as wall_time outside of its group, is near too.
func nearest(name string, list []string) string {
	return slices.MinFunc(list, func(a, b string) int { return distance(name, a) - distance(name, b) })
}

func distance(a, b string) int {
	if strings.HasSuffix(b, "-"+a) || strings.HasSuffix(a, "-"+b) {
		return 0
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0]++
		for j := range len(b) {
			cost := before
			if a[i] != b[j] {
				cost = 1 + min(before, row[j], row[j+1])
			}
			before, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
