package portable

import (
	"fmt"
	"strings"

	"mooring/storage/record"
)

// Project is what is kept of a project in a deployment.
type Project struct {
	Applied  map[AssetKey]*Applied
	Revision string // empty before its first apply
}

// RevisionField is the field of a project's hash that counts the applies that changed something. The other fields are those of assets.
const RevisionField = "revision"

// appliedPrefix begins the fields of assets that were applied.
const appliedPrefix = "a:"

// AppliedField is the field of a project's hash that says what the project applied of an asset.
func (k AssetKey) AppliedField() string { return appliedPrefix + string(k) }

// DeletedField is the field that says who deleted an asset since.
func (k AssetKey) DeletedField() string { return "d:" + string(k) }

// DeletedField is the field that says who deleted the asset since it was applied.
func (a *Applied) DeletedField() string {
	if a.Kind == KindPlacement {
		return PlacementTomb(a.PlacementID).DeletedField()
	}
	return a.Key().DeletedField()
}

// PlacementTomb names a placement that was deleted: it may have been moved since it was applied.
func PlacementTomb(id string) AssetKey { return AssetKey("placement#" + id) }

// ReadProject makes a project of its hash. Numbers within definitions stay as they are written, so that equal ones stay equal.
func ReadProject(hash map[string]string) (p Project, err error) {
	p = Project{Applied: map[AssetKey]*Applied{}, Revision: hash[RevisionField]}
	for field, text := range hash {
		key, isApplied := strings.CutPrefix(field, appliedPrefix)
		if !isApplied {
			continue
		}
		one := new(Applied)
		if err := record.Decode(text, one); err != nil {
			return p, fmt.Errorf("applied %s: %w", key, err)
		}
		if text := hash[one.DeletedField()]; text != "" {
			if err := record.Decode(text, &one.Deleted); err != nil {
				return p, fmt.Errorf("deleted %s: %w", key, err)
			}
		}
		p.Applied[AssetKey(key)] = one
	}
	return p, nil
}
