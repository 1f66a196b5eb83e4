package shift

// Names returns the workbook's part with its defined names rewritten, doc itself where nothing changes.
func (m *Moves) Names(doc []byte) ([]byte, error) {
	return m.edit(doc, "", func(e *editor) error {
		if string(e.Local()) != "definedName" {
			return nil
		}
		s, err := e.content()
		if err != nil {
			return err
		}
		text, err := e.rewriter().RewriteName(s.text)
		e.put(s, text)
		return err
	})
}
