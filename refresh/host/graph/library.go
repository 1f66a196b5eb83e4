package graph

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"mooring/placements"
	"mooring/refresh/host/rest"
)

// named reports whether the library has that name, as people see it or in its address.
func (l library) named(name string) bool {
	last, _ := url.PathUnescape(path.Base(l.WebURL))
	return strings.EqualFold(l.Name, name) || l.WebURL != "" && strings.EqualFold(last, name)
}

// folders are those of the configuration that lie in the library, as paths below its root.
func (l library) folders(configured []string) (below []string) {
	for _, f := range configured {
		f = strings.Trim(f, "/")
		if l.alone {
			below = append(below, f)
			continue
		}
		if name, rest, _ := strings.Cut(f, "/"); l.named(name) {
			below = append(below, rest)
		}
	}
	return below
}

// How long the libraries of sites are remembered, and those of which some are missing.
const (
	librariesAge  = 10 * time.Minute
	incompleteAge = time.Minute
)

// single is the drive of a host that has nothing else.
func (g *Workbooks) single() (library, bool) {
	if len(g.drives) != 1 || len(g.sites)+len(g.folders) > 0 {
		return library{}, false
	}
	return library{ID: g.drives[0], alone: true}, true
}

// libraryOf returns the drive that has a document. Where the host has one drive and nothing else, it sends nothing, and the document may be
// missing there.
func (g *Workbooks) libraryOf(ctx context.Context, document string) (library, error) {
	if l, ok := g.single(); ok {
		return l, nil
	}
	if l, ok := g.known.item(document); ok && len(g.folders) == 0 {
		return l, nil
	}
	list, incomplete := g.allLibraries(ctx)
	if l, ok := g.known.item(document); ok { // it may have left its folder
		list = []library{l}
	}
	l, err := g.search(ctx, document, list)
	if fault, ok := errors.AsType[*placements.Fault](err); ok && fault.Class == placements.Structure && incomplete != nil {
		err = incomplete // it may be there
	}
	g.known.remember(document, l, err == nil)
	return l, err
}

func (k *libraries) item(document string) (library, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	l, ok := k.items[document]
	return l, ok
}

// number is how many libraries there were when they were last asked for.
func (k *libraries) number() int {
	k.listing.Lock()
	defer k.listing.Unlock()
	return len(k.list)
}

// mostItems bounds how many documents are remembered.
const mostItems = 10_000

func (k *libraries) remember(document string, l library, there bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.items == nil || len(k.items) >= mostItems {
		k.items = map[string]library{}
	}
	if delete(k.items, document); there {
		k.items[document] = l
	}
}

// foundItem is where an item is, as the API says.
type foundItem struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Parent struct {
		Drive string `json:"driveId"`
		Path  string `json:"path"` // percent-encoded, such as /drives/b!x/root:/Sales
	} `json:"parentReference"`
}

// below is the path of the item below its drive's root.
func (i foundItem) below() string {
	_, folder, _ := strings.Cut(i.Parent.Path, "root:")
	folder, err := url.PathUnescape(folder)
	if err != nil {
		return ""
	}
	return strings.TrimPrefix(path.Join(folder, i.Name), "/")
}

// search asks drives for an item, and returns the one that has it in a folder of the configuration.
func (g *Workbooks) search(ctx context.Context, document string, list []library) (library, error) {
	var missed, unsure error
	for some := range slices.Chunk(list, batchRequests) {
		requests := make([]request, len(some))
		for i, l := range some {
			requests[i] = newGet(l.path() + "/items/" + url.PathEscape(document) + "?$select=id,name,parentReference")
		}
		if err := rest.TakeQuota(ctx, g.limiter, g.faults, g.quotas, len(requests)); err != nil {
			return library{}, err
		}
		replies, err := g.together(ctx, requests)
		if err != nil {
			return library{}, g.fault(ctx, document, err)
		}
		for i, reply := range replies {
			var item foundItem
			switch err := g.decode(reply, &item); {
			case err == nil && g.within(some[i], item):
				return some[i], nil
			case err == nil:
				missed = g.faults.Say(placements.Structure, nil,
					"The spreadsheet %q is in none of the folders that the configuration names: move it there, or have its folder added.", document)
			case isAbsent(err):
				missed = cmp.Or(missed, g.fault(ctx, document, err))
			default:
				unsure = cmp.Or(unsure, g.fault(ctx, document, err))
			}
		}
	}
	return library{}, cmp.Or(unsure, missed, error(g.faults.Say(placements.Structure, nil,
		"The spreadsheet %q is in no library that the configuration names.", document)))
}

// isAbsent reports whether a drive has no such item, as far as we are let in.
func isAbsent(err error) bool {
	return rest.IsStatus(err, http.StatusNotFound) || rest.IsStatus(err, http.StatusForbidden) || rest.IsStatus(err, http.StatusBadRequest)
}

// within reports whether an item of a library is in a folder of the configuration.
func (g *Workbooks) within(l library, item foundItem) bool {
	if len(g.folders) == 0 {
		return true
	}
	below := strings.ToLower(item.below())
	return slices.ContainsFunc(l.folders(g.folders), func(folder string) bool {
		return folder == "" || strings.HasPrefix(below, strings.ToLower(folder)+"/")
	})
}

// allLibraries returns the drives of the host. incomplete is why those of a site are missing.
func (g *Workbooks) allLibraries(ctx context.Context) (list []library, incomplete error) {
	k := &g.known
	k.listing.Lock()
	defer k.listing.Unlock()
	age := librariesAge
	if k.err != nil {
		age = incompleteAge
	}
	if !k.asked.IsZero() && g.rest.Now().Sub(k.asked) < age {
		return k.list, k.err
	}
	for _, id := range g.drives {
		list = append(list, library{ID: id, alone: true})
	}
	for _, site := range g.sites {
		of, err := g.librariesOf(ctx, site)
		incomplete = cmp.Or(incomplete, err)
		list = append(list, of...)
	}
	if ctx.Err() == nil {
		k.list, k.err, k.asked = list, incomplete, g.rest.Now()
	}
	return list, incomplete
}

// librariesOf asks for the libraries of a site.
func (g *Workbooks) librariesOf(ctx context.Context, site string) ([]library, error) {
	var found struct {
		ID string `json:"id"`
	}
	if err := g.get(ctx, sitePath(site)+"?$select=id", &found); err != nil {
		return nil, g.siteFault(ctx, site, err)
	}
	var page struct {
		Value []library `json:"value"`
	}
	if err := g.get(ctx, "/sites/"+url.PathEscape(found.ID)+"/drives?$select=id,name,webUrl", &page); err != nil {
		return nil, g.siteFault(ctx, site, err)
	}
	for i := range page.Value {
		page.Value[i].site, page.Value[i].alone = site, len(page.Value) == 1
	}
	return page.Value, nil
}

// sitePath is the path of the site at an address.
func sitePath(site string) string {
	u, _ := url.Parse(site) // it was checked
	at := "/sites/" + u.Hostname()
	if below := strings.Trim(u.EscapedPath(), "/"); below != "" {
		at += ":/" + below
	}
	return at
}

// siteFault is the fault of a request about a site.
func (g *Workbooks) siteFault(ctx context.Context, site string, err error) error {
	site = strings.TrimPrefix(site, "https://")
	switch {
	case rest.IsStatus(err, http.StatusForbidden):
		return g.faults.Say(placements.Auth, err, "permission: %s does not let the application into the site %s: let it write there (Sites.Selected), "+
			"or give it Files.ReadWrite.All.", g.faults.Service, site)
	case rest.IsStatus(err, http.StatusNotFound):
		return g.faults.Say(placements.Structure, err, "site: %s knows no site %s: check its address in the configuration.", g.faults.Service, site)
	}
	return g.fault(ctx, "", err)
}

// get sends a request by itself and reads the answer. The error is a *rest.Refusal as the service sends it.
func (g *Workbooks) get(ctx context.Context, path string, into any) error {
	if err := rest.TakeQuota(ctx, g.limiter, g.faults, g.quotas, 1); err != nil {
		return err
	}
	path, query, _ := strings.Cut(path, "?")
	values, err := url.ParseQuery(query)
	if err != nil {
		return fmt.Errorf("query: %w", err)
	}
	body, err := g.rest.Do(ctx, rest.Call{Method: http.MethodGet, Path: path, Query: values})
	if err != nil {
		return err
	}
	defer body.Close()
	return json.NewDecoder(body).Decode(into)
}
