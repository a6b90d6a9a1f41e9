package op

// Search finds operations by words, best first, as help("pdf merge") does.
func (t Table) Search(words string) []*Operation { panic("unwritten") }

// TypeScript gives the declarations of every operation and of the sandbox's globals.
func (t Table) TypeScript() string { panic("unwritten") }

// Reference gives the operations' reference page in Markdown.
func (t Table) Reference() string { panic("unwritten") }
