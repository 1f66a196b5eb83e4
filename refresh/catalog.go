package refresh

import (
	"context"
	"errors"

	"mooring/refresh/catalog"
	"mooring/refresh/fault"
	"mooring/refresh/source"
	"mooring/storage/record"
)

// What a source lists of itself.
type (
	Catalog      = catalog.Inventory
	CatalogPlace = catalog.Place
	Dataset      = source.Dataset
	DatasetField = source.Field
)

// ErrUnlisted is the error of a source that lists nothing.
var ErrUnlisted = source.ErrUnlisted

// IsCatalogPlace reports whether a text can be a CatalogPlace.
func IsCatalogPlace(text string) bool { return catalog.IsPlace(text) }

// Catalog returns what the deployment's source lists for by, as of ten minutes ago at the earliest; fresh: of one minute. Errors are
// ErrUnlisted and *placements.Fault.
func (e *Engine) Catalog(ctx context.Context, d record.Deployment, by record.Actor, fresh bool) (*Catalog, error) {
	from, none := e.tenants.origin(d)
	if none != nil {
		return nil, none
	}
	found, err := e.catalogs.Get(ctx, d, from.Source, by, fresh)
	if err != nil && !errors.Is(err, ErrUnlisted) {
		return nil, fault.Of(err)
	}
	return found, err
}
