package layout

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"mooring/placements"
	"mooring/storage/journal"
	"mooring/storage/keys"
	"mooring/storage/record"
	"mooring/storage/standing"
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
func (to *Recorder) storeDefinition(h *record.ReportHead) {
	h.DefinitionText = to.Tx.Encode(FieldDefinition, h.Definition)
	to.Tx.Then("HSET", to.Keys.Report(h.ID), FieldDefinition, h.DefinitionText, FieldVersion, h.Version)
	to.Tx.Then("publish", to.Keys.Events(), string(record.EventReportChanged), h.ID, record.ReportEvent(h))
}

// archiveVersion keeps the definition of r that is stored, old, before another one takes its place.
func (to *Recorder) archiveVersion(r *Report, old *record.Definition) {
	to.Tx.Fails(journal.Archive(&to.Tx.Txn, to.Keys, r.ID, old, len(r.DefinitionText)))
}

// StoreRefresh stores who refreshed r last.
func (to *Recorder) StoreRefresh(r *Report) {
	to.Tx.Then("HSET", to.Keys.Report(r.ID), FieldRefresh, r.LastRefresh.RefreshJSON())
}

// storeEcho stores which placement r repeats.
func (to *Recorder) storeEcho(r *Report) {
	to.Tx.Then("HSET", to.Keys.Report(r.ID), FieldEcho, record.EchoText(r.RepeatedSlot, r.Echo))
}

// storeLastRefresh stores both.
func (to *Recorder) storeLastRefresh(r *Report) {
	to.Tx.Then("HSET", to.Keys.Report(r.ID), FieldRefresh, r.LastRefresh.RefreshJSON(), FieldEcho, record.EchoText(r.RepeatedSlot, r.Echo))
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

// Adopt makes publicID the stored one of r.
func (to *Recorder) Adopt(r *Report, publicID string) {
	to.Tx.Then("HSET", to.Keys.PublicIDs(), publicID, to.Keys.Owner(r.ID))
	to.Tx.Then("HSET", to.Keys.Report(r.ID), FieldPublicID, publicID)
	to.Tx.Then("SREM", to.Keys.Synthesized(r.SynthesizedID), r.ID)
	r.StoredPublicID, r.PublicID = publicID, publicID
}

// NextVersion stores r's definition as it was changed, and keeps the one before, old.
func (to *Recorder) NextVersion(r *Report, old *record.Definition) {
	to.archiveVersion(r, old)
	r.Version++
	r.UpdatedAt, r.UpdatedBy = to.Timestamp(), new(to.Who.User())
	to.storeDefinition(&r.ReportHead)
	if old.CurrentChecksum != r.CurrentChecksum || !placements.EqualParameters(old.Parameters, r.Parameters) {
		standing.Restand(&to.Tx.Txn, to.Keys, r.ID, &r.Definition)
	}
}

// DropReport adds what removing a report changes: its placements, in every index, and its claim on its publicId go too.
func (to *Recorder) DropReport(r *Report) {
	to.dropPlacements(r)
	journal.Forget(&to.Tx.Txn, to.Keys, r.ID)
	to.Tx.Then("DEL", to.Keys.Runs().Failing(r.ID))
	to.Tx.Then("unlist", to.Keys.Runs().List(record.ReportFacet(r.ID)), to.Keys.Runs().Record(""))
	to.Tx.Then("DEL", to.Keys.Report(r.ID))
	to.Tx.Then("ZREM", to.Keys.Reports(), r.ID)
	if r.StoredPublicID != "" {
		to.Tx.Then("HDEL", to.Keys.PublicIDs(), r.StoredPublicID)
	} else {
		to.Tx.Then("SREM", to.Keys.Synthesized(r.SynthesizedID), r.ID)
	}
	to.Note(journal.Delete, journal.OfReport(r.ID, r.Name), 0)
}

// EnterReport stores a report that is new.
func (to *Recorder) EnterReport(r *Report) {
	if r.StoredPublicID == "" {
		to.Tx.Then("SADD", to.Keys.Synthesized(r.SynthesizedID), r.ID)
	} else {
		to.Tx.Then("HSET", to.Keys.PublicIDs(), r.StoredPublicID, to.Keys.Owner(r.ID))
	}
	to.Tx.Then("HSET", to.Keys.Report(r.ID), FieldPublicID, r.StoredPublicID, FieldSynthesizedID, r.SynthesizedID)
	to.storeDefinition(&r.ReportHead)
	to.Tx.Then("ZADD", to.Keys.Reports(), r.ID, r.ID)
	to.Note(journal.Create, journal.OfReport(r.ID, r.Name), r.Version)
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
