package op

import (
	"slices"
	"strings"
	"testing"
)

func TestNearestFiles(t *testing.T) {
	names := []string{"budget.xlsx", "data/sales-2024.csv", "data/sales-2025.csv", "out/report.pdf", "Übersicht.txt", "a.txt", "b.txt", "report.md"}
	for wrong, want := range map[string][]string{
		"Budget.XLSX":                          {`"budget.xlsx"`},
		"/budget.xlsx":                         {`"budget.xlsx"`},
		"./budget.xlsx":                        {`"budget.xlsx"`},
		"bugdet.xlsx":                          {`"budget.xlsx"`},
		"budget.csv":                           {`"budget.xlsx"`},
		"sales-2025.csv":                       {`"data/sales-2025.csv"`},
		"data/sales-2026.csv":                  {`"data/sales-2024.csv"`, `"data/sales-2025.csv"`},
		"report":                               {`"out/report.pdf"`, `"report.md"`},
		"übersicht.txt":                        {`"Übersicht.txt"`},
		"c.txt":                                nil, // what is short is near everything
		"quarterly.docx":                       nil,
		"":                                     nil,
		".":                                    nil,
		"019c0000-0000-7000-8000-000000000000": nil,
		strings.Repeat("budget.xlsx", 100):     nil,
	} {
		if got := nearestFiles(wrong, names, 3); !slices.Equal(got, want) {
			t.Errorf("%.40q: %v, want %v", wrong, got, want)
		}
	}
}
