package graphfake

import (
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"

	"mooring/refresh/host/hosttest/book"
)

// cloud is what the service holds.
type cloud struct {
	docs     map[string]*document
	sites    []*site
	drives   []*drive
	sessions map[string]session
	counter  int
	// beforeWrite is what a person does to the workbook just before the next request that is not only reading.
	beforeWrite func(*book.Book)

	refusesSessions, losesWrites, refusesHiding, refusesSearch bool
}

func (c *cloud) newID() string {
	c.counter++
	return fmt.Sprint(c.counter)
}

func (c *cloud) mustDrive(id string) *drive {
	for _, d := range c.drives {
		if d.id == id {
			return d
		}
	}
	panic("graphfake: no drive " + id)
}

// everything are the workbooks of a drive, by id.
func (c *cloud) everything(d *drive) (list []entry) {
	for id, doc := range c.docs {
		if doc.drive == d && !doc.denied {
			list = append(list, entry{path.Base(doc.path), id, doc})
		}
	}
	sortEntries(list, func(e entry) string { return e.id })
	return list
}

// drive finds a drive by its escaped id.
func (c *cloud) drive(escaped string) (*drive, error) {
	id, err := url.PathUnescape(escaped)
	i := slices.IndexFunc(c.drives, func(d *drive) bool { return d.id == id })
	switch {
	case err != nil, i < 0:
		return nil, missing("itemNotFound", "The drive could not be found.")
	case c.drives[i].grant == None:
		return nil, denied()
	}
	return c.drives[i], nil
}

// entries are the items of a folder, by name.
func (c *cloud) entries(d *drive, folder string) (list []entry) {
	known := map[string]bool{}
	for id, doc := range c.docs {
		below := doc.path
		if folder != "" {
			if len(below) <= len(folder) || !strings.EqualFold(below[:len(folder)+1], folder+"/") {
				continue
			}
			below = below[len(folder)+1:]
		}
		name, _, deeper := strings.Cut(below, "/")
		switch {
		case doc.drive != d || known[name]:
			continue
		case deeper:
			list = append(list, entry{name: name})
		default:
			list = append(list, entry{name, id, doc})
		}
		known[name] = true
	}
	sortEntries(list, func(e entry) string { return e.name })
	return list
}
