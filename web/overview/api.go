package overview

import (
	"mooring/refresh"
	"mooring/storage"
	"mooring/web/gate"
)

// API serves what is asked of a whole deployment or account. Store and Gate are required.
type API struct {
	Store  *storage.Store
	Engine *refresh.Engine // nil: there are no spreadsheet hosts here
	Gate   *gate.Gate
}
