package refresh

import (
	"context"
	"errors"

	"mooring/checksum"
	"mooring/refresh/host"
	"mooring/refresh/site"
	"mooring/storage"
)

// look reports why a document cannot be refreshed now, nil if it can as far as can be seen at the first cell of a placement.
func (a *attempt) look(ctx context.Context, ref site.Ref, p storage.Placed) error {
	at, ok := p.Address()
	if !ok {
		return nil
	}
	h, fault := a.sites.HostOf(ref)
	if fault != nil {
		return fault
	}
	lease, release, err := a.sites.LockSoon(ctx, ref)
	if err != nil {
		return err
	}
	defer release()
	s, err := a.sites.Open(lease, h, ref)
	if err != nil {
		return err
	}
	cell := host.Block{Document: ref.ID, SheetID: p.SheetID, Sheet: at.Sheet, Anchor: at.Anchor}
	_, err = s.Read(lease, []host.Wanted{{Block: cell, Extent: checksum.Extent{Rows: 1, Columns: 1}}})
	return errors.Join(err, s.Close())
}
