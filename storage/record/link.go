package record

import (
	"cmp"
	"slices"

	"mooring/placements"
)

// LinkState says whether agents reach a document that add-ins know by an id of their own, or why not.
type LinkState string

// The states of a link.
const (
	LinkLinked     LinkState = "linked"
	LinkLooking    LinkState = "looking"     // asked for, and not tried to the end
	LinkNotSaved   LinkState = "not_saved"   // the add-in sent no address, and no file has the name
	LinkNotFound   LinkState = "not_found"   // no file that was looked at is the document
	LinkAmbiguous  LinkState = "ambiguous"   // several are
	LinkNotReached LinkState = "not_reached" // it is outside of what is configured
	LinkRefused    LinkState = "refused"     // a service, the configuration or the nonce does not let it
)

// How a document was linked.
const (
	LinkedByAgent = "agent" // which wrote the identity into the file itself
	LinkedByAsked = "asked" // for by a user
)

// Link is what is known of where a document is. Times are RFC 3339, UTC, with milliseconds.
type Link struct {
	Identity string          `json:"identity"`          // what the file says that it is: a UUID
	Nonce    string          `json:"nonce,omitempty"`   // SHA-256 of the one that stands in the file, in hex
	Renewed  string          `json:"renewed,omitempty"` // that of one that an agent is about to write into the file
	Kind     placements.Host `json:"kind,omitempty"`
	State    LinkState       `json:"state"`
	Message  string          `json:"message,omitempty"`  // for a person: why, and what to do
	Since    string          `json:"since"`              // when it got the state
	Home     string          `json:"home"`               // id by which the document is known
	IDs      []string        `json:"ids,omitempty"`      // all of them, of one that is linked
	Unlinked bool            `json:"unlinked,omitempty"` // by a user: it is linked again only when a user asks
	// Unsettled are the ids of the document whose placements do not follow the link yet, or still do.
	Unsettled []string `json:"unsettled,omitempty"`
	MayMerge  bool     `json:"mayMerge,omitempty"` // placements of different people become one

	// Of one that is linked:
	Spreadsheets string `json:"spreadsheets,omitempty"` // the host's name
	Target       string `json:"target,omitempty"`       // at the host
	Path         string `json:"path,omitempty"`         // below its site
	Name         string `json:"name,omitempty"`
	WebURL       string `json:"webUrl,omitempty"`
	ProvedAt     string `json:"provedAt,omitempty"`
	By           string `json:"by,omitempty"`

	Merged   []MergedPlacement `json:"merged,omitempty"`
	MergedAt string            `json:"mergedAt,omitempty"`
	Copies   []string          `json:"copies,omitempty"` // where files are that are copies, see LinkAsk.Where, the latest last
	Seen     []string          `json:"seen,omitempty"`   // where a file was proved to be the document
	Ask      *LinkAsk          `json:"ask,omitempty"`    // what is to be looked for; nil: nothing
}

// MergedPlacement is a placement that became one with another one of its report when their documents proved to be one.
type MergedPlacement struct {
	DeploymentID int64  `json:"deploymentId"`
	ReportID     int64  `json:"reportId"`
	PlacementID  string `json:"placementId"`
	Into         string `json:"into"`
}

// LinkAsk is what a user's add-in says of the document that it has open. None of it is believed.
type LinkAsk struct {
	By      int64    `json:"by"`
	Asker   Asker    `json:"asker"`
	MayEdit bool     `json:"mayEdit,omitempty"` // every report placed there
	MayLink bool     `json:"mayLink,omitempty"` // agents may write the rows of every report placed there into the file that is found
	Unsure  bool     `json:"unsure,omitempty"`  // it was told without having been found out: hosts did not answer
	Proved  []string `json:"proved,omitempty"`  // targets, each with its host, that proved to be it while there was more to look at
	Nonce   string   `json:"nonce"`             // its SHA-256 in hex
	Name    string   `json:"name,omitempty"`
	URL     string   `json:"url,omitempty"` // normalised; empty: none
	At      string   `json:"at"`
	Tries   int      `json:"tries,omitempty"`
	ToldAt  string   `json:"toldAt,omitempty"` // when it was known what comes of it; empty: not yet
	Tried   []string `json:"tried,omitempty"`  // targets, each with its host, that the next look need not look at
}

// Asker is who asked, beside their id, as the audit names them.
type Asker struct {
	Email string `json:"email,omitempty"`
	Name  string `json:"name,omitempty"`
	Token string `json:"token,omitempty"`
	From  string `json:"from,omitempty"` // their address
}

// AskedBy notes who asked.
func (a *LinkAsk) AskedBy(who Actor) {
	a.By, a.Asker = who.ID, Asker{who.Email, who.Name, who.Via.Token, who.Via.Address}
}

// Actor is who asked, as the audit names them.
func (a *LinkAsk) Actor() Actor {
	return Actor{ID: a.By, Email: a.Asker.Email, Name: a.Asker.Name, Via: Via{Token: a.Asker.Token, Address: a.Asker.From}}
}

// maxMerged is how many placements are told of that became one with others, the latest.
const maxMerged = 100

// AddMerged adds placements that became one with others.
func (l *Link) AddMerged(merged []MergedPlacement, at string) {
	if len(merged) == 0 {
		return
	}
	l.Merged, l.MergedAt = append(l.Merged, merged...), at
	l.Merged = l.Merged[max(len(l.Merged)-maxMerged, 0):]
}

// maxSeen is how many addresses of a document, and of its copies, are kept.
const maxSeen = 20

// Noted is list with an address as its latest.
func Noted(list []string, address string) []string {
	if address == "" {
		return list
	}
	list = append(slices.DeleteFunc(slices.Clone(list), func(old string) bool { return old == address }), address)
	return list[max(len(list)-maxSeen, 0):]
}

// Knows reports whether a nonce, of which that is the hash, may be the document's. Where none is known yet, each may.
func (l *Link) Knows(hash string) bool { return l.Nonce == "" || hash == l.Nonce || hash == l.Renewed }

// Whereabouts are where the document is.
func (l *Link) Whereabouts() placements.Whereabouts {
	return placements.Whereabouts{Document: l.Home, Identity: l.Identity, Spreadsheets: l.Spreadsheets, Target: l.Target, Path: l.Path}
}

// Where is what an ask says of where the document is: its address, or the file's name alone.
func (a *LinkAsk) Where() string { return cmp.Or(a.URL, a.Name) }

// Asks reports whether it is not known that the document is where an ask says: there may be another file, a copy.
func (l *Link) Asks(a LinkAsk) bool {
	at := a.Where()
	return at != "" && at != l.WebURL && at != l.Name && !slices.Contains(l.Seen, at)
}

// SeenAt notes that the document itself was seen there, see LinkAsk.Where.
func (l *Link) SeenAt(where string) {
	l.Seen = Noted(l.Seen, where)
	l.NoCopyAt(where)
}

// NoCopyAt forgets that a copy was seen there.
func (l *Link) NoCopyAt(where string) {
	l.Copies = slices.DeleteFunc(l.Copies, func(copied string) bool { return copied == where })
}

// CopyAt notes that a copy was seen there.
func (l *Link) CopyAt(where string) {
	l.Copies = Noted(l.Copies, where)
	l.Seen = slices.DeleteFunc(l.Seen, func(seen string) bool { return seen == where })
	if l.WebURL == where {
		l.WebURL = "" // the document was moved from there
	}
	if l.Name == where {
		l.Name = ""
	}
}
