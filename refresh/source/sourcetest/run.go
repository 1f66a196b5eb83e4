package sourcetest

import "testing"

// Run puts s through the suite.
func Run(t *testing.T, s Subject) {
	t.Run("cells", s.cells)
	t.Run("header", s.header)
	t.Run("limits", s.limits)
	t.Run("statements", s.statements)
	t.Run("parameters", s.parameters)
	t.Run("escapes", s.escapes)
	t.Run("untold", s.untold)
	t.Run("ends", s.ends)
	t.Run("prepare", s.prepare)
	t.Run("probe", s.probe)
	t.Run("listen", s.listen)
	t.Run("catalog", s.catalog)
	t.Run("faults", s.faults)
	t.Run("concurrent", s.concurrent)
}
