package sandboxd_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"strings"

	"github.com/sandboxd/sandboxd"
)

// A program gives a script a file to work on, and gets its answer, its receipt and what it
// made. The program's main calls sandboxd.Worker first; here TestMain does.
func Example() {
	ctx := context.Background()
	h, err := sandboxd.Open(ctx, sandboxd.Config{}) // a throw-away workspace; give a Dir to keep it
	if err != nil {
		log.Fatal(err)
	}
	defer h.Close()
	if _, err := h.Files("").Put(ctx, sandboxd.Upload{Name: "sales.csv", Body: strings.NewReader("city,sum\nOslo,3\nRome,4\n")}); err != nil {
		log.Fatal(err)
	}

	answer := h.Run(ctx, sandboxd.Run{
		Args: json.RawMessage(`{"currency": "EUR"}`),
		Script: `
			const rows = parseCSV((await files.readText("sales.csv")).content, { header: true });
			const sum = rows.reduce((sum, row) => sum + Number(row.sum), 0);
			await files.create("report.md", undefined, { content: "# Sales\n\n" + sum + " " + args.currency + "\n" });
			console.log(rows.length, "cities");
			return { sum };`,
	})
	fmt.Println(answer.OK, string(answer.Result))
	fmt.Println(answer.Logs[0].Text)
	for _, file := range answer.Receipt.Files {
		fmt.Println(file.Action, file.Name, "version", file.Version)
	}
	// Output:
	// true {"sum":7}
	// 2 cities
	// created report.md version 1
}

// A run that fails changes nothing, whatever it did before.
func ExampleHost_Run() {
	ctx := context.Background()
	h, err := sandboxd.Open(ctx, sandboxd.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer h.Close()

	answer := h.Run(ctx, sandboxd.Run{Script: `
await files.create("half.txt", undefined, { content: "half of it" });
await files.readText("missing.txt");`})
	fmt.Println(answer.Error.Code, "at line", answer.Error.Line)
	left, err := h.Files("").List(ctx, "")
	fmt.Println(len(left), "files", err)
	// Output:
	// not_found at line 3
	// 0 files <nil>
}

// Every operation is a tool, too: for a model that calls one at a time.
func ExampleHost_Call() {
	ctx := context.Background()
	h, err := sandboxd.Open(ctx, sandboxd.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer h.Close()

	h.Call(ctx, sandboxd.Call{Tool: "file_create", Args: json.RawMessage(`{"name": "poem.txt", "content": "one\ntwo\nthree\n"}`)})
	answer := h.Call(ctx, sandboxd.Call{Tool: "file_read_text", Args: json.RawMessage(`{"id": "poem.txt", "start_line": 2, "end_line": 2}`)})
	var page struct {
		Content    string `json:"content"`
		TotalLines int    `json:"total_lines"`
	}
	if err := json.Unmarshal(answer.Result, &page); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%q of %d lines\n", strings.TrimSpace(page.Content), page.TotalLines)
	// Output:
	// "two" of 3 lines
}

// What a run did can be taken back as a whole.
func ExampleRuns_Undo() {
	ctx := context.Background()
	h, err := sandboxd.Open(ctx, sandboxd.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer h.Close()

	h.Run(ctx, sandboxd.Run{Script: `await files.create("list.txt", undefined, { content: "milk" }); await state.set("count", 1)`})
	second := h.Run(ctx, sandboxd.Run{Script: `await files.append("list.txt", ", bread"); await state.set("count", 2)`})
	if _, err := h.Runs("").Undo(ctx, second.Receipt.RunID, false); err != nil {
		log.Fatal(err)
	}
	look := h.Run(ctx, sandboxd.Run{Script: `return [(await files.readText("list.txt")).content, await state.get("count")]`})
	fmt.Println(string(look.Result))
	// Output:
	// ["milk",1]
}
