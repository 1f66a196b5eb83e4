package overview

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"mooring/storage/record"
	"mooring/storage/standing"
	"mooring/web/access"
	"mooring/web/request"
)

// peopleList is who can be meant where a list is filtered by a person.
type peopleList struct {
	Items []record.User `json:"items"` // never nil
}

// peopled is how many placements are looked at for people, those that were placed last.
const peopled = 1000

// People returns who made the reports that the caller may read and on whose behalf they are placed, and for who may read all, who owns
// schedules: those whose name, email or id has the text in search, by name.
func (o *API) People(ctx context.Context, c *request.Call) (any, error) {
	first, err := c.First()
	if err != nil {
		return nil, err
	}
	known := map[int64]record.User{}
	if err := o.placers(ctx, c, known); err != nil {
		return nil, err
	}
	if access.All(c, "The owners of schedules") == nil {
		if err := o.owners(ctx, c, known); err != nil {
			return nil, err
		}
	}
	return peopleList{matching(known, c.Query("search"), first)}, nil
}

// placers adds on whose behalf the latest placements stand.
func (o *API) placers(ctx context.Context, c *request.Call, known map[int64]record.User) error {
	after := ""
	for read := 0; read < peopled; read += request.MaxPage {
		page, err := o.Store.Standing().Placements(ctx, c.At, standing.Filter{}, after, request.MaxPage)
		if err != nil {
			return err
		}
		for _, d := range page.Items {
			if c.Caller.Level(d.Definition) >= record.MayRead {
				note(known, record.Behalf(d.Placement).User(), d.Definition.User)
			}
		}
		if after = page.End; !page.HasNextPage {
			break
		}
	}
	return nil
}

// owners adds whose the deployment's active schedules are.
func (o *API) owners(ctx context.Context, c *request.Call, known map[int64]record.User) error {
	list, err := o.Store.Schedules().Upcoming(ctx, c.At)
	for _, one := range list {
		note(known, one.Owner.User())
	}
	return err
}

// note adds users, or what is known of them now and was not.
func note(known map[int64]record.User, users ...record.User) {
	for _, u := range users {
		before := known[u.ID]
		known[u.ID] = record.User{ID: u.ID, Email: cmp.Or(before.Email, u.Email), FirstName: cmp.Or(before.FirstName, u.FirstName)}
	}
	delete(known, 0) // of tokens without a user
}

// matching returns the first of the users in whose name, email or id a text is, by name.
func matching(known map[int64]record.User, search string, first int) []record.User {
	search = strings.ToLower(search)
	list := []record.User{}
	for _, u := range known {
		if strings.Contains(strings.ToLower(u.FirstName+"\n"+u.Email+"\n"+strconv.FormatInt(u.ID, 10)), search) {
			list = append(list, u)
		}
	}
	slices.SortFunc(list, func(a, b record.User) int {
		return cmp.Or(strings.Compare(called(a), called(b)), cmp.Compare(a.ID, b.ID))
	})
	return list[:min(first, len(list))]
}

// called is what a user is known by.
func called(u record.User) string { return strings.ToLower(cmp.Or(u.FirstName, u.Email)) }
