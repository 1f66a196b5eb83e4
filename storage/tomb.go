package storage

import (
	"mooring/placements"
	"mooring/storage/record"
	"mooring/storage/record/portable"
)

// entomb notes with the project that manages an asset, if one does, that who deleted it by hand.
func (e *engine) entomb(tx *txn, k deploymentKeys, by *record.ManagedBy, key portable.AssetKey, who record.Actor) {
	if by != nil {
		tx.set(k.Project(by.Project), key.DeletedField(), portable.Deletion{By: new(who.User()).Label(), At: e.timestamp()})
	}
}

// entombPlacement is entomb for a placement, which may have been moved since it was applied.
func (e *engine) entombPlacement(tx *txn, k deploymentKeys, p *placements.Placement, who record.Actor) {
	e.entomb(tx, k, p.ManagedBy, portable.PlacementTomb(p.ID), who)
}
