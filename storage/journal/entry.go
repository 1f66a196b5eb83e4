package journal

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"mooring/placements"
	"mooring/storage/record"
	"mooring/storage/redis"
)

// Entry is an effective write of one asset, or what a person used a source for within an hour.
type Entry struct {
	ID       string       `json:"id,omitempty"`    // of its place in the audit; empty until it has one
	At       string       `json:"at,omitempty"`    // RFC 3339, UTC, with milliseconds; empty until it has a place
	User     *record.User `json:"user"`            // nil: the operator of the service, or the service itself
	From     string       `json:"from"`            // address of the client; "command line" for the operator's, "agent" for what an agent did itself
	Token    string       `json:"token,omitempty"` // jti, or id of the device
	Action   string       `json:"action"`          // the asset's kind and a verb, such as report.update
	Asset    Asset        `json:"asset"`
	Version  int64        `json:"version,omitempty"`  // of the asset since; 0 for what has no versions, or was deleted
	Pointers []string     `json:"pointers,omitempty"` // into the asset: what changed, at most 20
	Plan     string       `json:"plan,omitempty"`     // whose apply it was part of
	Count    int          `json:"count,omitempty"`    // of a use: how often within the hour before
}

// Agent is the From of what an agent did.
const Agent = "agent"

// Subject is a kind of asset of the audit.
type Subject string

// The kinds. Settings, devices, keys, tenants and documents are of a tenant.
const (
	Report    Subject = "report"
	Workbook  Subject = "workbook"
	Placement Subject = "placement"
	Schedule  Subject = "schedule"
	Settings  Subject = "settings"
	Device    Subject = "device"
	Key       Subject = "key"
	Tenant    Subject = "tenant"
	Document  Subject = "document"
	Source    Subject = "source" // of a deployment
)

// Asset is what was written, as it was called after the write, or before it if it was deleted.
type Asset struct {
	Kind     Subject `json:"kind"`
	ID       string  `json:"id"`
	Name     string  `json:"name"`
	ReportID int64   `json:"reportId,omitempty"` // of a placement
}

// What happened to an asset. The action of an entry has its kind before.
const (
	Create     = "create"
	Update     = "update"
	Delete     = "delete"
	Access     = "access"     // the roles that may do something with a report
	Publish    = "publish"    // the dashboard of a workbook
	Connect    = "connect"    // a placement is new
	Disconnect = "disconnect" // a placement is gone
	Import     = "import"     // a placement of another service
	Return     = "return"     // edits of a placement, to the source
	Pause      = "pause"
	Resume     = "resume"
	Transfer   = "transfer" // of a schedule to another owner
	Adopt      = "adopt"    // by the project of a plan, and nothing else changed but who placed it
	Approve    = "approve"
	Revoke     = "revoke"
	Backup     = "backup"  // of a tenant
	Restore    = "restore" // of a tenant; of what a run had changed in the block of a placement
	Link       = "link"    // of a document to the file that agents open
	Unlink     = "unlink"
	Browse     = "browse"  // what a source has: a use
	Preview    = "preview" // queries: a use
)

// Of returns the entry of what who does to an asset.
func Of(who record.Actor, verb string, asset Asset) Entry {
	e := Entry{From: who.Via.Address, Token: who.Via.Token, Plan: who.Via.Plan, Action: string(asset.Kind) + "." + verb, Asset: asset}
	if user := who.User(); user != (record.User{}) || who.Via.Token != "" {
		e.User = &user
	}
	return e
}

// Made returns e of a write that made a version of the asset and changed what those pointers name.
func (e Entry) Made(version int64, changed ...string) Entry {
	e.Version, e.Pointers = version, changed
	return e
}

// OfReport names a report.
func OfReport(id int64, name string) Asset { return numbered(Report, id, name) }

// OfWorkbook names a workbook.
func OfWorkbook(w *record.Workbook) Asset { return numbered(Workbook, w.ID, w.Name) }

// OfSchedule names a schedule.
func OfSchedule(c *record.Schedule) Asset { return numbered(Schedule, c.ID, c.Name) }

// OfPlacement names a placement of a report by where it stands.
func OfPlacement(report int64, p *placements.Placement) Asset {
	at, ok := p.Address()
	where := p.ResultLocation
	if ok {
		where = placements.Location{Sheet: at.Sheet, Anchor: at.Anchor, Rows: 1, Columns: 1}.String()
	}
	return Asset{Kind: Placement, ID: p.ID, Name: cmp.Or(p.WorkbookName, p.WorkbookID) + " " + where, ReportID: report}
}

// OfDocument names a document by the file to which it is linked, and its host.
func OfDocument(l *record.Link) Asset {
	name := cmp.Or(l.Name, l.Target)
	if l.Spreadsheets != "" {
		name += " (" + l.Spreadsheets + ")"
	}
	return Asset{Kind: Document, ID: l.Identity, Name: name}
}

// OfSource names the source of a deployment.
func OfSource(deployment int64) Asset { return numbered(Source, deployment, "source") }

func numbered(kind Subject, id int64, name string) Asset {
	return Asset{Kind: kind, ID: strconv.FormatInt(id, 10), Name: name}
}

// What bounds an entry: names and pointers are of people's own words.
const (
	mostPointers = 20
	mostName     = 300 // bytes
	mostPointer  = 200 // bytes
)

// bounded is e as it is kept.
func (e Entry) bounded() Entry {
	e.Asset.Name = cut(e.Asset.Name, mostName)
	if len(e.Pointers) > mostPointers {
		e.Pointers = e.Pointers[:mostPointers]
	}
	for i, pointer := range e.Pointers {
		e.Pointers[i] = cut(pointer, mostPointer)
	}
	return e
}

// Note adds an entry to an audit to a transaction: it is written if that is.
func Note(tx *redis.Txn, audit string, e Entry) error {
	text, err := record.Encode(e.bounded())
	if err != nil {
		return fmt.Errorf("audit: %w", err)
	}
	tx.Then("note", audit, text)
	return nil
}

// Tally adds to a transaction the entry of a use, which takes the place of that of the same person and action within the hour before.
func Tally(tx *redis.Txn, audit string, e Entry) error {
	text, err := record.Encode(e.bounded())
	if err != nil {
		return fmt.Errorf("audit: %w", err)
	}
	who := e.Token
	if e.User != nil && e.User.ID != 0 {
		who = strconv.FormatInt(e.User.ID, 10)
	}
	tx.Then("tally", audit, e.Action+":"+who, text)
	return nil
}

// cut is text, or as much of its beginning as has no more than most bytes.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
