package graph

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"strings"

	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/rest"
)

// Check proves that the application is let in. What of a site or one of several drives is missing, CheckPart says.
func (g *Workbooks) Check(ctx context.Context) error {
	_, single := g.single()
	at := ""
	switch {
	case len(g.drives) > 0:
		at = library{ID: g.drives[0]}.path()
	default:
		at = sitePath(g.sites[0])
	}
	err := g.get(ctx, at+"?$select=id", new(struct{}))
	if err == nil || !single && isAbsent(err) {
		return nil
	}
	return g.fault(ctx, "", err)
}

// Parts returns the sites and drives of the host.
func (g *Workbooks) Parts() (parts []string) {
	for _, site := range g.sites {
		parts = append(parts, "site "+site)
	}
	for _, drive := range g.drives {
		parts = append(parts, "drive "+drive)
	}
	return parts
}

// partRequests is how many requests CheckPart may send.
const partRequests = 20

// CheckPart opens a workbook session on the first workbook of a site or a drive that it finds, and closes it: nothing is changed.
func (g *Workbooks) CheckPart(ctx context.Context, part int) (host.Part, error) {
	c := partCheck{Workbooks: g, left: partRequests}
	list, err := c.librariesOf(ctx, part)
	if err != nil {
		return host.Part{}, err
	}
	l, book, err := c.workbook(ctx, list)
	if err != nil {
		return host.Part{}, err
	}
	if book == nil {
		return host.Part{Note: "not tried, no .xlsx was found there"}, nil
	}
	return c.try(ctx, l, *book)
}

// partCheck is a CheckPart in progress.
type partCheck struct {
	*Workbooks
	left int // requests that it may send
}

// librariesOf returns the libraries of a part, at least one of them.
func (c *partCheck) librariesOf(ctx context.Context, part int) ([]library, error) {
	if part >= len(c.sites) {
		l := library{ID: c.drives[part-len(c.sites)], alone: true}
		c.left--
		return []library{l}, c.driveFault(ctx, l, c.get(ctx, l.path()+"?$select=id", new(struct{})))
	}
	site := c.sites[part]
	c.left -= 2
	list, err := c.Workbooks.librariesOf(ctx, site)
	if err == nil && len(list) == 0 {
		err = c.faults.Say(placements.Structure, nil, "library: the site %s has no document library.", strings.TrimPrefix(site, "https://"))
	}
	return list, err
}

// title is what messages call the library.
func (l library) title() string {
	if l.Name != "" {
		return l.Name
	}
	return l.ID
}

// child is an item of a folder, as the API lists it.
type child struct {
	ID     string           `json:"id"`
	Name   string           `json:"name"`
	File   *json.RawMessage `json:"file"`
	Folder *json.RawMessage `json:"folder"`
}

func (i child) isWorkbook() bool {
	return i.File != nil && isWorkbookName(i.Name)
}

// isWorkbookName reports whether a file can be a workbook of the service, and is no lock of one.
func isWorkbookName(name string) bool {
	return strings.EqualFold(path.Ext(name), ".xlsx") && !strings.HasPrefix(name, "~$")
}

// escapedPath is a path as an address of the API has it.
func escapedPath(below string) string { return (&url.URL{Path: below}).EscapedPath() }

// listing is a folder that is to be listed.
type listing struct {
	library
	below string // its path below the root; empty for that
}

// children is the path of what is in the folder.
func (f listing) children(fields string) string {
	at := f.library.path() + "/root"
	if f.below != "" {
		at += ":/" + escapedPath(f.below) + ":"
	}
	return at + "/children?$select=" + fields
}

// sessionRequests is how many requests a try on a workbook takes.
const sessionRequests = 3

// workbook finds a workbook, nil if there is none among as many folders as may be listed: those nearest to the root come first.
func (c *partCheck) workbook(ctx context.Context, list []library) (library, *child, error) {
	var todo []listing
	for _, l := range list {
		if len(c.folders) == 0 {
			todo = append(todo, listing{library: l})
		}
		for _, f := range l.folders(c.folders) {
			todo = append(todo, listing{l, f})
		}
	}
	listed, missing := 0, error(nil)
	for ; len(todo) > 0 && c.left > sessionRequests; todo = todo[1:] {
		c.left--
		var page struct {
			Value []child `json:"value"`
		}
		switch err := c.get(ctx, todo[0].children("id,name,file,folder"), &page); {
		case err != nil && todo[0].below != "" && rest.IsStatus(err, http.StatusNotFound):
			missing = err
			continue
		case err != nil:
			return library{}, nil, c.driveFault(ctx, todo[0].library, err)
		}
		listed++
		for _, item := range page.Value {
			if item.isWorkbook() {
				return todo[0].library, &item, nil
			}
			if item.Folder != nil {
				todo = append(todo, listing{todo[0].library, path.Join(todo[0].below, item.Name)})
			}
		}
	}
	if listed == 0 && len(c.folders) > 0 {
		return library{}, nil, c.faults.Say(placements.Structure, missing, "library: none of the folders of the configuration is there (%s).",
			strings.Join(c.folders, ", "))
	}
	return library{}, nil, nil
}

// try opens a session on a workbook and closes it. Where the service opens none, it reads the workbook without: a refresh does so too.
func (c *partCheck) try(ctx context.Context, l library, book child) (host.Part, error) {
	at := l.path() + "/items/" + url.PathEscape(book.ID) + "/workbook"
	id, err := c.openPassing(ctx, at)
	switch {
	case err == nil:
		s := session{Workbooks: c.Workbooks, document: book.ID, library: l, service: serviceSession{id: id}}
		s.leave(ctx)
		return host.Part{Note: "a session on " + book.Name + " was opened"}, nil
	case !isRefusal(err):
		return host.Part{}, c.fault(ctx, book.Name, err)
	}
	if again := c.get(ctx, at+"/worksheets?$select=id", new(struct{})); again != nil {
		return host.Part{}, c.faults.Say(placements.Auth, errors.Join(err, again), "workbook API refused: %s does not let the application open the "+
			"workbook %s. A file with a sensitivity label that encrypts it, or a library that is read only, cannot be refreshed.", c.faults.Service, book.Name)
	}
	return host.Part{
		Note: book.Name + " was read",
		Warning: fmt.Sprintf("workbook API refused a session on %s: if the application may only read there, let it write; if %s opens no sessions for "+
			"applications in this directory, refreshes go on without", book.Name, c.faults.Service),
	}, nil
}

// isRefusal reports whether the service refused what it understood.
func isRefusal(err error) bool {
	var refused *rest.Refusal
	return errors.As(err, &refused) && (refused.Status == http.StatusForbidden || refused.Status == http.StatusUnauthorized)
}

// openPassing opens a session of the service that keeps nothing.
func (g *Workbooks) openPassing(ctx context.Context, workbook string) (id string, err error) {
	if err := rest.TakeQuota(ctx, g.limiter, g.faults, g.quotas, 2); err != nil { // its end too
		return "", err
	}
	body, err := g.rest.Do(ctx, rest.Call{Method: http.MethodPost, Path: workbook + "/createSession", Body: []byte(`{"persistChanges":false}`)})
	if err != nil {
		return "", err
	}
	defer body.Close()
	var opened struct {
		ID string `json:"id"`
	}
	err = json.NewDecoder(body).Decode(&opened)
	return opened.ID, err
}
