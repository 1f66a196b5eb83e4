package shift

// comments moves comments, on threads or not, and takes out those of deleted cells. A thread's replies name the cell that it is about.
func (m *Moves) comments(doc []byte, sheet string) ([]byte, error) {
	return m.edit(doc, sheet, func(e *editor) error {
		switch string(e.Local()) {
		case "comment", "threadedComment":
		default:
			return nil
		}
		from, edits := e.From, len(e.edits)
		if e.cell("ref") {
			return nil
		}
		err := e.skip()
		e.drop(from, edits)
		return err
	})
}
