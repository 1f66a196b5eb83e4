package hosttest

import (
	"context"
	"sync/atomic"

	"mooring/refresh/host"
)

// CountingDriver is a driver that counts how often documents are opened.
type CountingDriver struct {
	host.Driver
	Opens atomic.Int64
}

// Open opens a document by the driver.
func (d *CountingDriver) Open(ctx context.Context, document string) (host.Session, error) {
	d.Opens.Add(1)
	return d.Driver.Open(ctx, document)
}
