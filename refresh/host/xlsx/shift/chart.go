package shift

// chart rewrites what a chart shows: its series, categories, titles and labels, also those that only newer programs know.
func (m *Moves) chart(doc []byte, sheet string) ([]byte, error) {
	return m.edit(doc, sheet, func(e *editor) error {
		switch string(e.Local()) {
		case "f", "nf", "sqref":
			return e.formula(e.place())
		}
		return nil
	})
}
