package graph

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/rest"
)

var _ host.Finder = (*Workbooks)(nil)

const itemFields = "id,name,file,webUrl,parentReference"

// Find is host.Finder's. It looks under the address, by the site and the library that it begins with, asks the service for what a shared link
// leads to, and searches the libraries for the name; each as far as the configuration names the place.
func (g *Workbooks) Find(ctx context.Context, hint host.Hint, tried map[string]bool, budget *host.Budget) ([]host.Candidate, error) {
	f := &finding{Workbooks: g, budget: budget}
	address := host.ParseAddress(hint.URL)
	f.look(ctx, address, host.ParseAddress(hint.Name).Name)
	chosen, err := budget.Choose(f.found, tried)
	return chosen, errors.Join(append(f.why, err)...)
}

// look looks for a document at each place until what there is to spend is spent.
func (f *finding) look(ctx context.Context, a host.FileAddress, name string) {
	if !f.goOn(f.byAddress(ctx, a)) {
		return
	}
	if len(f.found) == 0 && !f.goOn(f.byLink(ctx, a)) {
		return
	}
	for _, name := range slices.Compact([]string{a.Name, name}) {
		if isWorkbookName(name) && !f.goOn(f.byName(ctx, name)) {
			return
		}
	}
}

// byAddress looks at the path of an address in the library that it begins with.
func (f *finding) byAddress(ctx context.Context, a host.FileAddress) error {
	if a.Host == "" || a.Shared {
		return nil
	}
	l, below, err := f.libraryAt(ctx, a)
	if err != nil || !isWorkbookName(a.Name) {
		return err
	}
	var item driveItem
	err = f.get(ctx, l.path()+"/root:/"+escapedPath(below)+":?$select="+itemFields, &item)
	switch {
	case rest.IsStatus(err, http.StatusNotFound):
		return nil
	case err != nil:
		return f.explain(ctx, l, err)
	case !f.within(l, item.foundItem):
		return host.ErrOutside
	}
	f.add(l, item, true)
	return nil
}

// byLink asks the service for what was shared under an address of one of the host's sites and drives. It refuses plain addresses to applications.
func (f *finding) byLink(ctx context.Context, a host.FileAddress) error {
	if !f.isHost(a.Host) {
		if a.Shared {
			return host.ErrOutside
		}
		return nil
	}
	var item driveItem
	link := "u!" + base64.RawURLEncoding.EncodeToString([]byte(a.URL()))
	switch err := f.get(ctx, "/shares/"+link+"/driveItem?$select="+itemFields, &item); {
	case err != nil && isAbsent(err):
		return nil
	case err != nil:
		return f.explain(ctx, library{}, err)
	}
	for place := range f.places() {
		list, err := f.librariesAt(ctx, place)
		if errors.Is(err, host.ErrSpent) {
			return err
		}
		for _, l := range list {
			if l.ID == item.Parent.Drive && f.within(l, item.foundItem) {
				f.add(l, item, true)
				return nil
			}
		}
	}
	return host.ErrOutside
}

// byName searches the libraries for workbooks of a name, from the place on at which the last search for it ended.
func (f *finding) byName(ctx context.Context, name string) error {
	var failed error
	all := len(f.places())
	from := f.addresses.searchedTo(name) % all
	for i := range all {
		place := (from + i) % all
		list, err := f.librariesAt(ctx, place)
		if err == nil {
			err = f.searchAll(ctx, list, name)
		}
		if errors.Is(err, host.ErrSpent) {
			f.addresses.searchOn(name, place)
			return errors.Join(failed, err)
		}
		if err != nil {
			failed = err
		}
	}
	return failed
}

// searchAll searches libraries, or the folders of them that count, for workbooks of a name.
func (f *finding) searchAll(ctx context.Context, list []library, name string) (failed error) {
	var at []listing
	var requests []request
	for _, l := range list {
		below := []string{""}
		if len(f.folders) > 0 {
			below = l.folders(f.folders)
		}
		for _, folder := range below {
			at, requests = append(at, listing{l, folder}), append(requests, newSearch(l, folder, name))
		}
	}
	for len(requests) > 0 {
		n := min(len(requests), batchRequests)
		if err := f.budget.Take(n); err != nil {
			return err
		}
		if err := rest.TakeQuota(ctx, f.limiter, f.faults, f.quotas, n); err != nil {
			return err
		}
		replies, err := f.together(ctx, requests[:n])
		if err != nil {
			return f.fault(ctx, "", err)
		}
		for i, r := range replies {
			err := f.takeFound(ctx, at[i], r, name)
			if errors.Is(err, host.ErrSpent) {
				return err
			}
			failed = cmp.Or(failed, err)
		}
		at, requests = at[n:], requests[n:]
	}
	return failed
}

// newSearch asks for the items of a name in a library, or a folder of it. In batches a + would be read as a space.
func newSearch(l library, folder, name string) request {
	at := l.path() + "/root"
	if folder != "" {
		at += ":/" + strings.ReplaceAll(escapedPath(folder), "+", "%2B") + ":"
	}
	return newGet(at + "/search(q=" + odataKey(name)[1:] + "?$select=" + itemFields)
}

// takeFound reads what a search found: the service also finds what has the words of the name elsewhere. A folder that is not there has nothing.
// Where an application may not search, as is said of those that may only write to some sites, the folders are gone through.
func (f *finding) takeFound(ctx context.Context, at listing, r reply, name string) error {
	var page struct {
		Value []driveItem `json:"value"`
	}
	switch err := f.decode(r, &page); {
	case rest.IsStatus(err, http.StatusNotFound):
		return nil
	case isRefusal(err):
		return f.byListing(ctx, at, name, err)
	case err != nil:
		return f.explain(ctx, at.library, err)
	}
	for _, item := range page.Value {
		if strings.EqualFold(item.Name, name) {
			f.add(at.library, item, false)
		}
	}
	return nil
}

// page is a page of what is in a folder.
type page struct {
	listing
	path string
}

// maxListed is how many folders, or pages of them, of a library one search goes through in place of the service.
const maxListed = 10

// byListing goes through a folder and those below, the nearest first, for workbooks of a name.
func (f *finding) byListing(ctx context.Context, at listing, name string, refused error) error {
	const fields = itemFields + ",folder"
	todo := []page{{at, at.children(fields)}}
	for n := 0; len(todo) > 0; n++ {
		if n == maxListed {
			return f.faults.Say(placements.Auth, refused, "permission: %s does not let the application search the library %s, and %q is in none of the "+
				"%d folders nearest to its root: let it search (Sites.Read.All), or save the file nearer to the root.", f.faults.Service, at.title(), name, n)
		}
		var items struct {
			Value []driveItem `json:"value"`
			Next  string      `json:"@odata.nextLink"`
		}
		now := todo[0]
		switch err := f.get(ctx, now.path, &items); {
		case err != nil && rest.IsStatus(err, http.StatusNotFound):
		case err != nil:
			return f.explain(ctx, at.library, err)
		}
		todo = todo[1:]
		if next, ok := strings.CutPrefix(items.Next, f.rest.Base); ok && next != "" {
			todo = append(todo, page{now.listing, next})
		}
		for _, item := range items.Value {
			switch {
			case item.Folder != nil:
				below := listing{at.library, path.Join(now.below, item.Name)}
				todo = append(todo, page{below, below.children(fields)})
			case strings.EqualFold(item.Name, name):
				f.add(at.library, item, false)
			}
		}
	}
	return nil
}

// add takes a file for a candidate, which stands at the address or has the name. Which library has it need not be asked for again to prove it.
func (f *finding) add(l library, item driveItem, at bool) {
	if item.File == nil || !isWorkbookName(item.Name) {
		return
	}
	f.known.remember(item.ID, l, true)
	f.found = append(f.found, host.Candidate{ID: item.ID, Name: item.Name, WebURL: item.WebURL, Path: l.pathOf(item.foundItem), At: at})
}

// pathOf is the path of an item below its site, as folders of the configuration have it; empty where it is not known.
func (l library) pathOf(item foundItem) string {
	if item.Parent.Path == "" {
		return ""
	}
	below := strings.Trim(item.below(), "/")
	if l.alone {
		return below
	}
	last, _ := url.PathUnescape(path.Base(l.WebURL))
	return path.Join(last, below)
}

// explain is the error of a request about a library.
func (f *finding) explain(ctx context.Context, l library, err error) error {
	if errors.Is(err, host.ErrSpent) {
		return err
	}
	return f.driveFault(ctx, l, err)
}
