package workspace

// undoOf links an undoing run to the run that it undoes.
type undoOf struct {
	of     string
	redone string // the run that of had undone
}
