package storage

import (
	"context"
	"fmt"
	"strings"

	"mooring/placements"
	"mooring/storage/record"
	"mooring/storage/redis"
)

// The fields of a project's hash: the prefixes of those that an asset has, and the revision.
const (
	appliedField  = "a:"
	deletedField  = "d:"
	fieldRevision = "revision"
)

// project is what is kept of a project in a deployment.
type project struct {
	applied  map[record.AssetKey]*record.Applied
	revision string // empty before its first apply
}

// readProject makes a project of its hash. Numbers within definitions stay as they are written, so that equal ones stay equal.
func readProject(hash map[string]string) (p project, err error) {
	p = project{applied: map[record.AssetKey]*record.Applied{}, revision: hash[fieldRevision]}
	for field, text := range hash {
		key, isApplied := strings.CutPrefix(field, appliedField)
		if !isApplied {
			continue
		}
		one := new(record.Applied)
		if err := record.Decode(text, one); err != nil {
			return p, fmt.Errorf("applied %s: %w", key, err)
		}
		if text := hash[deletionField(one)]; text != "" {
			if err := record.Decode(text, &one.Deleted); err != nil {
				return p, fmt.Errorf("deleted %s: %w", key, err)
			}
		}
		p.applied[record.AssetKey(key)] = one
	}
	return p, nil
}

func (s *Store) project(ctx context.Context, k deploymentKeys, name string) (project, error) {
	hash, err := s.rdb.HGetAll(ctx, k.project(name)).Result()
	if err != nil {
		return project{}, redis.Unavailable(err)
	}
	return readProject(hash)
}

// entomb notes with the project that manages an asset, if one does, that who deleted it by hand.
func (e *engine) entomb(tx *txn, k deploymentKeys, by *record.ManagedBy, key record.AssetKey, who record.User) {
	if by != nil {
		tx.set(k.project(by.Project), deletedField+string(key), record.Deletion{By: who.Label(), At: e.timestamp()})
	}
}

// entombPlacement is entomb for a placement, which may have been moved since it was applied.
func (e *engine) entombPlacement(tx *txn, k deploymentKeys, p *placements.Placement, who record.User) {
	e.entomb(tx, k, p.ManagedBy, tombOf(p.ID), who)
}

// tombOf names a placement that was deleted.
func tombOf(placement string) record.AssetKey { return record.AssetKey("placement#" + placement) }

// deletionField is the field that says who deleted an asset that was applied.
func deletionField(one *record.Applied) string {
	if one.Kind == record.KindPlacement {
		return deletedField + string(tombOf(one.PlacementID))
	}
	return deletedField + string(one.Key())
}
