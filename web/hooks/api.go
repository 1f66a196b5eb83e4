package hooks

import (
	"time"

	"mooring/refresh"
	"mooring/storage"
	"mooring/web/gate"
)

// API takes deliveries. All are required.
type API struct {
	Store  *storage.Store
	Engine *refresh.Engine
	Gate   *gate.Gate
	Now    func() time.Time
}
