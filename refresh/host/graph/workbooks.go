package graph

import (
	"net/url"
	"sync"
	"time"

	"mooring/refresh/host"
	"mooring/refresh/host/rest"
)

// Workbooks is the driver of Excel workbooks in OneDrive for Business and SharePoint, through Microsoft Graph. A document is the
// id of a drive item, a SheetID the worksheet's id. The API applies the steps of a write one after the other: the markers
// come last, so that a write that broke off is found as the old blocks and written again. Calls counts the batches of reads and of
// what writes change, not those that open and close the service's session and compare within it.
//
// Where rows are gained at an end of a block, a formula directly below it counts them; one elsewhere whose range ends there does not, as
// Excel has it.
type Workbooks struct {
	rest      rest.Client
	faults    rest.Faults
	limiter   host.Limiter
	quotas    []host.Quota
	drives    []string // as Settings have them
	sites     []string
	folders   []string
	known     libraries
	addresses addresses
}

// addresses remembers, of the sites and drives of a host, their libraries with their addresses, and how far searches for a name have come.
type addresses struct {
	mu       sync.Mutex
	asked    map[string]answered
	searched map[string]int // places, by the name that was searched for
}

// answered is what the service said of a place's libraries.
type answered struct {
	list []library
	err  error
	at   time.Time
}

// library is a drive: a document library of a site, or one that the configuration names.
type library struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	WebURL string `json:"webUrl"`
	site   string // its address; empty for a drive of the configuration
	alone  bool   // its site has no other
}

// path is the path of the drive.
func (l library) path() string { return "/drives/" + url.PathEscape(l.ID) }

// libraries are the drives of a host. Those of sites are asked for, and again after librariesAge.
type libraries struct {
	listing sync.Mutex
	asked   time.Time
	list    []library
	err     error // why the list lacks those of a site

	mu    sync.Mutex
	items map[string]library
}
