package cube

import (
	"net/http"
	"time"

	"mooring/refresh/source"
)

// layer runs queries on a Cube semantic layer through its REST API: a jsonQuery by /v1/load, a sqlQuery by /v1/cubesql.
type layer struct {
	config Config
	base   string // without a slash at its end
	client *http.Client
	slots  source.Slots

	loadTimeout time.Duration
}
