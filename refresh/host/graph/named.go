package graph

import (
	"net/http"
	"strings"

	"mooring/refresh/host"
	"mooring/refresh/host/rest"
)

// parameterSteps give the cells of parameters their names, where these do not stand there. The service lets those follow that do.
func (w *writing) parameterSteps(steps []step) ([]step, error) {
	for _, cells := range w.parameters.Names(w.blocks) {
		name := host.MarkerName(cells.ID)
		n, there := w.named(name)
		l, _ := parseGraphMarker(n.Value)
		before := cells.Before
		if there && strings.EqualFold(l.Sheet, before.Sheet) && l.Anchor == before.Anchor && rest.Size(l) == rest.Size(before) {
			continue
		}
		if there {
			steps = append(steps, step{request: sendBody(http.MethodDelete, w.pathOfName(name), nil)})
		}
		add, err := w.add(name, host.Reference(cells.After.Sheet, cells.After.Anchor, rest.Size(cells.After)),
			"Follows the cells that a parameter of a report takes its value from.")
		if err != nil {
			return nil, err
		}
		steps = append(steps, add)
	}
	return steps, nil
}
