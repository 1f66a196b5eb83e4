package source

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"mooring/checksum"
)

// Probe is how a source is asked whether its data may have changed, at far less cost than by the queries of reports. What both are for
// depends on the kind of source; see its Probes.
type Probe struct {
	Query  string // one whose result changes when the data does; empty: what the source itself keeps
	Listen string // the channel on which the database announces changes; empty: none
}

// Asked reports whether p has a value to ask for now and then. Without one all that is known are announcements.
func (p Probe) Asked() bool { return p.Query != "" || p.Listen == "" }

// Prober is a Source that can be probed.
type Prober interface {
	// Probes returns why the source cannot do p, nil if it can. Its message begins with the key at fault. It asks no database.
	Probes(p Probe) error
	// Probe returns a short text that differs from that of any earlier call, by whatever process, if data was committed between them. It
	// may differ although nothing was. query is that of a Probe which is Asked; it runs read-only and within the statement timeout, on
	// behalf of no user. Faults are those of Query.
	Probe(ctx context.Context, query string) (string, error)
}

// Listener is a Source whose database announces changes.
type Listener interface {
	// Listen calls heard once it listens on channel and then, from the same goroutine, for each announcement, until ctx ends or
	// announcements may be missed. Its error says which.
	Listen(ctx context.Context, channel string, heard func()) error
}

// InQuery says of what is wrong with a probe that its query is at fault.
func InQuery(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("query: %w", err)
}

// The limits of what a probe's query returns.
const (
	maxProbeRows  = 100
	maxProbeBytes = 64 << 10
)

// ProbeQuery returns a digest of the whole result of q, which must be small.
func ProbeQuery(ctx context.Context, s Source, q Query) (string, error) {
	q.MaxRows, q.MaxBytes = maxProbeRows, maxProbeBytes
	var b checksum.Builder
	if _, err := s.Query(ctx, q, &b); err != nil {
		return "", err
	}
	sum, grid := sha256.New(), b.Grid()
	for i := range grid.Rows() {
		sum.Write(grid.Row(i))
	}
	return hex.EncodeToString(sum.Sum(nil)[:16]), nil
}
