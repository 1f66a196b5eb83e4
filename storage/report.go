package storage

import (
	"encoding/json"
	"fmt"
	"strconv"

	"mooring/placements"
	"mooring/storage/record"
)

// Marks is what placing and refreshing leave on a report without making a new version. Its JSON is the hash field "stamp"
// and part of the wire.
type Marks struct {
	RefreshedAt     string       `json:"refreshedAt,omitempty"`
	RefreshedBy     int64        `json:"refreshedBy,omitempty"`
	RefreshedByUser *record.User `json:"refreshedByUser,omitempty"`
	Echo
}

// Report is a saved query with its visualization (interface.md, Report), and its placements. What depends on the caller
// (canEdit, canManage) or on other records (externalWorkbookPlacements, folderPath) is the caller's to add.
type Report struct {
	ID           int64  `json:"id"`
	DeploymentID int64  `json:"deploymentId"`
	PublicID     string `json:"publicId"` // the stored one, else the synthesized one
	Type         string `json:"type"`     // REPORT
	UserID       int64  `json:"userId"`   // same as createdBy
	record.Definition
	Marks
	Effect         record.Effect `json:"-"` // of the write that returned it
	StoredPublicID string        `json:"-"` // empty: none assigned yet
	SynthesizedID  string        `json:"-"` // empty: created with a publicId
	Placements     []Placed      `json:"-"` // ordered by placedAt, then id
	DefinitionText string        `json:"-"` // the JSON of Definition as stored
	OnlyShown      []Shown       `json:"-"` // the placements of a report that was read for an answer and has no Placements, see Show
	marks          []string      // JSON as stored: of a report that was read for an answer and has no Marks, see AppendMarks
	echoes         string        // slot of the placement that Echo repeats, empty for none
	heldID         int64         // how many placements of other reports have the id and spreadsheet that it was read for, see near
}

// Placed is a placement and the outcome of the latest run on it, nil when there was none.
type Placed struct {
	placements.Placement
	LastRun *placements.LastRun
	Rev     string // differs in every record ever written
	Claim   int64  // microseconds since 1970 when someone last connected or rewrote it: the latest owns its cells
	text    string // JSON of the placement as stored; empty: not stored yet
	stands  *stand // see standing
}

// The fields of a report's hash.
const (
	fieldPublicID      = "publicId"
	fieldSynthesizedID = "synthesizedId"
	fieldDefinition    = "definition"
	fieldVersion       = "version" // of the definition, for scripts
	fieldMarks         = "stamp"   // Marks but for Echo
	fieldEcho          = "located" // see Echo
)

// readReport makes a report of its two hashes; ErrNotFound when the first is empty.
func (s *Store) readReport(k deploymentKeys, id int64, record, placed map[string]string) (*Report, error) {
	if len(record) == 0 {
		return nil, ErrNotFound
	}
	r := &Report{
		ID: id, DeploymentID: k.deployment, Type: "REPORT",
		StoredPublicID: record[fieldPublicID], SynthesizedID: record[fieldSynthesizedID],
	}
	if r.PublicID = r.StoredPublicID; r.PublicID == "" {
		r.PublicID = r.SynthesizedID
	}
	var err error
	r.DefinitionText = record[fieldDefinition]
	if r.Definition, err = s.definitions.read(k.report(id), r.DefinitionText); err != nil {
		return nil, fmt.Errorf("report %d: %w", id, err)
	}
	r.UserID = r.CreatedBy
	if err = r.readMarks(record[fieldMarks], record[fieldEcho]); err != nil {
		return nil, err
	}
	if r.Placements, err = readPlacements(placed); err != nil {
		return nil, fmt.Errorf("report %d: %w", id, err)
	}
	return r, nil
}

// define stores the definition of r.
func (c *changes) define(k deploymentKeys, r *Report) {
	text, err := record.Encode(r.Definition)
	if err != nil && c.err == nil {
		c.err = fmt.Errorf("%s: %w", fieldDefinition, err)
	}
	r.DefinitionText = text
	c.add("HSET", k.report(r.ID), fieldDefinition, text, fieldVersion, r.Version)
}

// refreshed stores who refreshed r last.
func (c *changes) refreshed(k deploymentKeys, r *Report) {
	c.add("HSET", k.report(r.ID), fieldMarks, refreshedJSON(&r.Marks))
}

// placed stores which placement r repeats.
func (c *changes) placed(k deploymentKeys, r *Report) {
	c.add("HSET", k.report(r.ID), fieldEcho, echoText(r.echoes, r.Echo))
}

// marked stores both.
func (c *changes) marked(k deploymentKeys, r *Report) {
	c.add("HSET", k.report(r.ID), fieldMarks, refreshedJSON(&r.Marks), fieldEcho, echoText(r.echoes, r.Echo))
}

// readMarks reads the two fields that hold r's marks; empty texts hold nothing.
func (r *Report) readMarks(stamp, echo string) (err error) {
	r.Marks = Marks{}
	if stamp != "" {
		if err := json.Unmarshal([]byte(stamp), &r.Marks); err != nil {
			return fmt.Errorf("report %d: stamp: %w", r.ID, err)
		}
	}
	r.echoes, r.Echo, err = readEcho(r.ID, echo)
	return err
}

// Find returns the placement of that id.
func (r *Report) Find(placementID string) (Placed, bool) {
	for _, p := range r.Placements {
		if p.ID == placementID {
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

func parseID(s string) (int64, error) { return strconv.ParseInt(s, 10, 64) }
