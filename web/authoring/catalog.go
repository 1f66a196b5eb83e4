package authoring

import (
	"context"
	"errors"

	"mooring/placements"
	"mooring/refresh"
	"mooring/storage/journal"
	"mooring/web/request"
)

// catalogAnswer is a page of what a source has.
type catalogAnswer struct {
	request.PageAnswer[listedDataset]
	Message string `json:"message,omitempty"` // why there is none
}

// listedDataset is a view, table or cube as answers show it. It has members in a semantic layer, else columns.
type listedDataset struct {
	Name        string        `json:"name"`
	Kind        string        `json:"kind"`
	Title       string        `json:"title"`
	Description string        `json:"description"`
	Insert      string        `json:"insert"`
	Members     []listedField `json:"members,omitempty"`
	Columns     []listedField `json:"columns,omitempty"`
}

// listedField is a member or column as answers show it.
type listedField struct {
	Name        string `json:"name"`
	Title       string `json:"title"`
	Type        string `json:"type"`
	Role        string `json:"role,omitempty"` // of a member
	Description string `json:"description"`
	Insert      string `json:"insert"`
}

// catalog answers with what the source has that queries may name.
func (a *API) catalog(ctx context.Context, c *request.Call) (any, error) {
	first, err := c.First()
	if err != nil {
		return nil, err
	}
	after, err := c.After(refresh.IsCatalogPlace)
	if err != nil {
		return nil, err
	}
	fresh, err := c.Flag("fresh")
	if err != nil {
		return nil, err
	}
	if err := a.note(ctx, c, journal.Browse); err != nil {
		return nil, err
	}
	found, err := a.Engine.Catalog(ctx, c.At, c.Caller.Actor, fresh)
	if errors.Is(err, refresh.ErrUnlisted) {
		return catalogAnswer{request.PageOf[listedDataset](nil, false, ""), "This source lists nothing: write the query without its list."}, nil
	}
	if err != nil {
		return nil, sourceDown(err)
	}
	return pageOf(found, c.Query("search"), refresh.CatalogPlace(after), first), nil
}

// pageOf is the page of a catalog behind a place, of what a search finds in it.
func pageOf(found *refresh.Catalog, search string, after refresh.CatalogPlace, first int) catalogAnswer {
	var items []listedDataset
	more := false
	for place, d := range found.Search(search, after) {
		if more = len(items) == first; more {
			break
		}
		items, after = append(items, listed(d)), place
	}
	return catalogAnswer{PageAnswer: request.PageOf(items, more, string(after))}
}

func listed(d *refresh.Dataset) listedDataset {
	return listedDataset{
		Name: d.Name, Kind: string(d.Kind), Title: d.Title, Description: d.Description, Insert: d.Insert,
		Members: listedFields(d.Members), Columns: listedFields(d.Columns),
	}
}

func listedFields(fields []refresh.DatasetField) []listedField {
	list := make([]listedField, len(fields))
	for i, f := range fields {
		list[i] = listedField{Name: f.Name, Title: f.Title, Type: string(f.Type), Role: string(f.Role), Description: f.Description, Insert: f.Insert}
	}
	return list
}

// sourceDown is the refusal of a request whose source does not answer, lets nobody in or is none.
func sourceDown(err error) error {
	f, ok := errors.AsType[*placements.Fault](err)
	if !ok {
		return err
	}
	refused := placements.Errorf(placements.CodeSourceDown, "%s", f.Message).Because(err)
	refused.RetryAfter = f.RetryAfter
	return refused
}
