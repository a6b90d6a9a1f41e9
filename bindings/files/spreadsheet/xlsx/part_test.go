package xlsx

import "testing"

func TestTargetsAreRelative(t *testing.T) {
	for _, c := range []struct{ base, name, want string }{
		{"xl/worksheets/sheet1.xml", "xl/tables/table1.xml", "../tables/table1.xml"},
		{"xl/workbook.xml", "xl/worksheets/sheet2.xml", "worksheets/sheet2.xml"},
		{"xl/workbook.xml", "xl/styles.xml", "styles.xml"},
		{"workbook.xml", "xl/a.xml", "xl/a.xml"},
		{"xl/worksheets/sheet1.xml", "a.xml", "../../a.xml"},
		{"xl/a/x.xml", "xl/a", "../a"},
		{"a/b/c.xml", "b/b/c.xml", "../../b/b/c.xml"},
	} {
		if got := targetOf(c.base, c.name); got != c.want || resolve(c.base, got) != c.name {
			t.Errorf("from %s to %s: %s, which means %s; want %s", c.base, c.name, got, resolve(c.base, got), c.want)
		}
	}
}
