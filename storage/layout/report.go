package layout

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"mooring/placements"
	"mooring/storage/engine"
	"mooring/storage/journal"
	"mooring/storage/keys"
	"mooring/storage/record"
	"mooring/storage/tenants"
)

// Report is a saved query with its visualization (interface.md, Report), and its placements.
type Report struct {
	record.ReportHead
	record.LastRefresh
	Placements   []Placed `json:"-"` // ordered by placedAt, then id
	RepeatedSlot string   // slot of the placement that Echo repeats, empty for none
}

// HasSlot reports whether a placement of the report has that slot.
func (r *Report) HasSlot(slot string) bool {
	return slices.ContainsFunc(r.Placements, func(p Placed) bool { return p.Position().Slot == slot })
}

// Ambiguous is the refusal of a publicId that several reports show.
func Ambiguous(publicID string) error {
	return placements.Errorf(placements.CodeAmbiguous, "Several reports show the id %s, and nothing was changed: "+
		"assign a publicId of your choice to each by updating it by its id, then use that.", publicID)
}

// PublicIDTaken is the conflict about a publicId that owner has already.
func PublicIDTaken(k keys.DeploymentKeys, owner, publicID string) error {
	if _, here := k.Owned(owner); here {
		return placements.Errorf(placements.CodePublicIDTaken,
			"Another report of this deployment has the publicId %s: choose another one, or update that report.", publicID)
	}
	return placements.Errorf(placements.CodeElsewhere,
		"The publicId %s belongs to a report in another deployment: choose another one.", publicID)
}

// Repeat makes r repeat p, which was just recorded.
func (r *Report) Repeat(p *Placed) {
	r.Echo, r.RepeatedSlot = record.EchoOf(&p.Placement), p.Position().Slot
}

// Repeated is the placement that r repeats.
func (r *Report) Repeated() (p Placed, ok bool) {
	for i := range r.Placements {
		if r.Placements[i].Position().Slot == r.RepeatedSlot {
			return r.Placements[i], true
		}
	}
	return Placed{}, false
}

// The fields of a report's hash.
const (
	FieldPublicID      = "publicId"
	FieldSynthesizedID = "synthesizedId"
	FieldDefinition    = "definition"
	FieldVersion       = "version" // of the definition, for conditions
	FieldRefresh       = "stamp"   // LastRefresh but for Echo
	FieldEcho          = "located" // see Echo
	FieldManaged       = "managed" // ManagedBy, of workbooks too; absent: managed by no project
)

// NewHead is the head of a report of the deployment.
func NewHead(k keys.DeploymentKeys, id int64, storedPublicID, synthesizedID string) record.ReportHead {
	h := record.ReportHead{
		ID: id, DeploymentID: k.ID, Type: "REPORT", PublicID: storedPublicID,
		StoredPublicID: storedPublicID, SynthesizedID: synthesizedID,
	}
	if h.PublicID == "" {
		h.PublicID = synthesizedID
	}
	return h
}

// ReadManaged reads which project manages the asset of a hash.
func ReadManaged(hash map[string]string) (by *record.ManagedBy, err error) {
	if text := hash[FieldManaged]; text != "" {
		if err = json.Unmarshal([]byte(text), &by); err != nil {
			return nil, fmt.Errorf("%s: %w", FieldManaged, err)
		}
	}
	return by, nil
}

// storeDefinition stores the definition of h, and says so to who follows the deployment.
func storeDefinition(t *engine.Transaction, k keys.DeploymentKeys, h *record.ReportHead) {
	h.DefinitionText = t.Encode(FieldDefinition, h.Definition)
	t.Then("HSET", k.Report(h.ID), FieldDefinition, h.DefinitionText, FieldVersion, h.Version)
	t.Then("publish", k.Events(), string(record.EventReportChanged), h.ID, record.ReportEvent(h))
}

// archive keeps the definition of r that is stored, old, before another one takes its place.
func archiveVersion(t *engine.Transaction, k keys.DeploymentKeys, r *Report, old *record.Definition) {
	if err := journal.Archive(&t.Txn, k, r.ID, old, len(r.DefinitionText)); err != nil && t.Err == nil {
		t.Err = err
	}
}

// StoreRefresh stores who refreshed r last.
func StoreRefresh(t *engine.Transaction, k keys.DeploymentKeys, r *Report) {
	t.Then("HSET", k.Report(r.ID), FieldRefresh, r.LastRefresh.RefreshJSON())
}

// storeEcho stores which placement r repeats.
func storeEcho(t *engine.Transaction, k keys.DeploymentKeys, r *Report) {
	t.Then("HSET", k.Report(r.ID), FieldEcho, record.EchoText(r.RepeatedSlot, r.Echo))
}

// storeLastRefresh stores both.
func storeLastRefresh(t *engine.Transaction, k keys.DeploymentKeys, r *Report) {
	t.Then("HSET", k.Report(r.ID), FieldRefresh, r.LastRefresh.RefreshJSON(), FieldEcho, record.EchoText(r.RepeatedSlot, r.Echo))
}

// ReadLastRefresh reads the two fields that hold r's last refresh; empty texts hold nothing.
func (r *Report) ReadLastRefresh(refresh, echo string) (err error) {
	r.LastRefresh = record.LastRefresh{}
	if refresh != "" {
		if err := json.Unmarshal([]byte(refresh), &r.LastRefresh); err != nil {
			return fmt.Errorf("report %d: stamp: %w", r.ID, err)
		}
	}
	r.RepeatedSlot, r.Echo, err = record.ReadEcho(r.ID, echo)
	return err
}

// Stamp makes r show who refreshed it.
func (r *Report) Stamp(at string, who record.Actor) {
	user := who.User()
	r.RefreshedAt, r.RefreshedBy, r.RefreshedByUser = at, user.ID, &user
}

// Find returns the placement of that id, or the one with which that became one.
func (r *Report) Find(placementID string) (Placed, bool) {
	for _, p := range r.Placements {
		if p.Is(placementID) {
			return p, true
		}
	}
	return Placed{}, false
}

// Places lists the bare placements, in the same order.
func (r *Report) Places() []placements.Placement {
	list := make([]placements.Placement, len(r.Placements))
	for i, p := range r.Placements {
		list[i] = p.Placement
	}
	return list
}

// StandsAt reports whether a placement of the report has that address.
func (r *Report) StandsAt(address string) bool {
	return slices.ContainsFunc(r.Placements, func(p Placed) bool { return p.Position().AddressKey == address })
}

// ParseID reads the id of an asset.
func ParseID(s string) (int64, error) { return strconv.ParseInt(s, 10, 64) }

// View returns r as an answer shows it.
func (r *Report) View() *record.ReportView {
	v := &record.ReportView{ReportHead: r.ReportHead, LastRefresh: r.LastRefresh.Members()}
	v.Placements = make([]record.PlacementView, 0, len(r.Placements))
	for i := range r.Placements {
		v.Placements = append(v.Placements, r.Placements[i].View())
	}
	return v
}

// NoteMade notes what a request under an Idempotency-Key creates, on condition that the request still holds the key.
func NoteMade(t *engine.Transaction, o record.Once, id int64) {
	if o.Record != "" {
		tenants.NoteMade(&t.Txn, o, id)
	}
}

// Adopt makes publicID the stored one of r.
func Adopt(tx *engine.Transaction, k keys.DeploymentKeys, r *Report, publicID string) {
	tx.Then("HSET", k.PublicIDs(), publicID, k.Owner(r.ID))
	tx.Then("HSET", k.Report(r.ID), FieldPublicID, publicID)
	tx.Then("SREM", k.Synthesized(r.SynthesizedID), r.ID)
	r.StoredPublicID, r.PublicID = publicID, publicID
}

// NextVersion stores r's definition as who changed it, and keeps the one before, old.
func NextVersion(db *engine.DB, tx *engine.Transaction, k keys.DeploymentKeys, r *Report, old *record.Definition, who record.Actor) {
	archiveVersion(tx, k, r, old)
	r.Version++
	r.UpdatedAt, r.UpdatedBy = db.Timestamp(), new(who.User())
	storeDefinition(tx, k, &r.ReportHead)
}

// DropReport adds what removing a report changes: its placements, in every index, and its claim on its publicId go too.
func DropReport(tx *engine.Transaction, k keys.DeploymentKeys, r *Report) {
	dropPlacements(tx, k, r)
	journal.Forget(&tx.Txn, k, r.ID)
	tx.Then("DEL", k.Runs().Failing(r.ID))
	tx.Then("unlist", k.Runs().List(record.ReportFacet(r.ID)), k.Runs().Record(""))
	tx.Then("DEL", k.Report(r.ID))
	tx.Then("ZREM", k.Reports(), r.ID)
	if r.StoredPublicID != "" {
		tx.Then("HDEL", k.PublicIDs(), r.StoredPublicID)
	} else {
		tx.Then("SREM", k.Synthesized(r.SynthesizedID), r.ID)
	}
}

// EnterReport stores a report that is new.
func EnterReport(t *engine.Transaction, k keys.DeploymentKeys, r *Report) {
	if r.StoredPublicID == "" {
		t.Then("SADD", k.Synthesized(r.SynthesizedID), r.ID)
	} else {
		t.Then("HSET", k.PublicIDs(), r.StoredPublicID, k.Owner(r.ID))
	}
	t.Then("HSET", k.Report(r.ID), FieldPublicID, r.StoredPublicID, FieldSynthesizedID, r.SynthesizedID)
	storeDefinition(t, k, &r.ReportHead)
	t.Then("ZADD", k.Reports(), r.ID, r.ID)
}

// Faults are those of a body for r that depend on what r stores: a publicId that would change, and an address that names no cell even with
// what r repeats of it.
func (r *Report) Faults(in record.ReportInput) (faults []placements.Detail) {
	if in.PublicID.Sent && r.StoredPublicID != "" && in.PublicID.OrZero() != r.StoredPublicID {
		message := fmt.Sprintf("The publicId of this report is %s and cannot be changed: leave it out.", r.StoredPublicID)
		faults = append(faults, placements.Detail{Pointer: "/publicId", Code: placements.CodePublicIDFixed, Message: message})
	}
	if c, places := ConnectionOf(&in.SpreadsheetKeys, r); places {
		_, wrong := c.Place()
		faults = append(faults, placements.DetailsOf(placements.Declared(wrong))...)
	}
	return faults
}

// ConnectionOf is what the keys declare, see SpreadsheetKeys.Connection. On an update what is left out is what the report repeats of the
// placement recorded last.
func ConnectionOf(in *record.SpreadsheetKeys, r *Report) (c placements.Connection, ok bool) {
	if c, ok = in.Connection(); !ok {
		return c, false
	}
	if c.ExternalWorkbookID == "" {
		c.ExternalWorkbookID = r.ExternalWorkbookID
	}
	p, echoed := r.Repeated()
	there := c.ExternalWorkbookID == r.ExternalWorkbookID || echoed && p.In(c.ExternalWorkbookID)
	if c.ResultLocation == "" && there {
		c.ResultLocation = r.ResultLocation
	}
	// What repeats the echo means that placement, whose sheet the resultLocation need not name.
	if echoed && there && c.ResultLocation == r.ResultLocation {
		c.SheetName, c.AnchorCell = p.SheetName, p.AnchorCell
	}
	return c, true
}
