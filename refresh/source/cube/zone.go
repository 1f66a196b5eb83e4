package cube

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"mooring/refresh/source"
)

// noZone is the name of no time zone.
const noZone = "Mooring/Nowhere"

// Warnings asks whether the time zone of a sqlQuery counts: Cube before 1.5.10, of November 2025, ignores it and answers in UTC
// (cube#10189), and no answer says the version. One that refuses a zone which does not exist honours those that do; of one that takes it,
// nothing is known. What else may be wrong is for Check to find.
func (c *layer) Warnings(ctx context.Context, location *time.Location) ([]string, error) {
	if zone := source.ZoneName(location); zone == "" || zone == "UTC" {
		return nil, nil
	}
	body, err := encode(map[string]any{"query": "SELECT 1", "timezone": noZone})
	if err != nil {
		return nil, nil
	}
	answer, err := c.send(ctx, http.MethodPost, "/v1/cubesql", newSpan().next(), body)
	if err != nil {
		return nil, nil
	}
	defer answer.Close()
	var first struct {
		Error string `json:"error"`
	}
	if err := json.NewDecoder(answer).Decode(&first); err != nil || first.Error != "" {
		return nil, nil
	}
	return []string{"Cube takes a time zone that does not exist, so it is not known whether it honours those that do: " +
		"versions before 1.5.10 (November 2025) answer a sqlQuery in UTC. If this one is older, upgrade Cube, or write a jsonQuery"}, nil
}
