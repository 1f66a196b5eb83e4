package layout

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"mooring/storage/engine"
	"mooring/storage/keys"
	"mooring/storage/record"
	"mooring/storage/redis"
)

// LoadCells reads the placements that a cell index names.
func LoadCells(ctx context.Context, db *engine.DB, k keys.TenantKeys, cells []string) ([]record.DocumentPlacement, error) {
	members := make([]string, len(cells))
	for i, cell := range cells {
		members[i] = MemberOf(cell)
	}
	slices.Sort(members) // by report, as a spreadsheet's list is
	return LoadMembers(ctx, db, k, members)
}

// MemberOf is the name of a placement in the index of its spreadsheet: what a member of a cell index has after the rectangle.
func MemberOf(cell string) string {
	parts := strings.SplitN(cell, ":", 4)
	if len(parts) < 4 {
		return ""
	}
	return parts[3]
}

// membersScript reads the placements that an index names. All keys lie in the tenant's slot.
//
//	KEYS   the index
//	ARGV   prefix of the tenant's keys, then members "<deployment>:<report>:<slot>"
//	result for each member that still is there: member, definition of its report or "" when the one before has the same, no JSON when it
//	       is lost, record, last run or ""
var membersScript = redis.NewScript(`
local out, before = {}, nil
for i = 2, #ARGV do
  local deployment, report, slot = string.match(ARGV[i], '^(%d+):(%d+):(.*)$')
  local key = ARGV[1] .. 'd:' .. deployment .. ':report:' .. report
  local record = redis.call('HGET', key .. ':placements', 'p:' .. slot)
  if record then
    local definition = ''
    if key ~= before then definition = redis.call('HGET', key, '` + FieldDefinition + `') or 'none' end
    before = key
    local run = redis.call('HGET', key .. ':placements', 'r:' .. slot) or ''
    for _, text in ipairs({ARGV[i], definition, record, run}) do out[#out + 1] = text end
  end
end
return out`)

// LoadMembers reads the placements that an index names, in that order. One that went meanwhile is left out, and so is one that cannot be
// read, which is logged: the others in the spreadsheet must not depend on it.
func LoadMembers(ctx context.Context, db *engine.DB, k keys.TenantKeys, members []string) ([]record.DocumentPlacement, error) {
	if len(members) == 0 {
		return nil, nil
	}
	args := append(make([]any, 0, len(members)+1), k.Prefix)
	for _, m := range members {
		args = append(args, m)
	}
	flat, err := membersScript.Run(ctx, db.Redis, []string{k.Prefix + "doc:"}, args...).StringSlice()
	if err != nil {
		return nil, redis.Unavailable(err)
	}
	loaded := make([]record.DocumentPlacement, 0, len(flat)/4)
	var definition *record.Definition
	for i := 0; i+3 < len(flat); i += 4 {
		if flat[i+1] != "" {
			definition = definitionOf(db, flat[i], flat[i+1])
		}
		p, err := readMember(flat[i], flat[i+2], flat[i+3])
		if err != nil {
			db.Log.Error("placement cannot be read", "placement", flat[i], "error", err)
			continue
		}
		p.Definition = definition
		loaded = append(loaded, p)
	}
	return loaded, nil
}

// definitionOf reads the definition of the report of a placement. One that cannot be read is logged and admits who may read all reports:
// its placement still claims its cells.
func definitionOf(db *engine.DB, member, text string) *record.Definition {
	d := new(record.Definition)
	if err := json.Unmarshal([]byte(text), d); err != nil {
		db.Log.Error("definition of a placed report cannot be read", "placement", member, "error", err)
		return new(record.Definition)
	}
	return d
}

func readMember(member, text, run string) (p record.DocumentPlacement, err error) {
	p.Member = member
	var slot string
	if p.DeploymentID, p.ReportID, slot, err = SplitMember(member); err != nil {
		return p, err
	}
	placed, err := DecodeRecord(slot, text, run)
	if err != nil {
		return p, err
	}
	p.Placement, p.Claim = placed.Placement, placed.Claim
	p.View, err = record.ViewPlacement(slot, text, run)
	return p, err
}

// SplitMember takes the name of a placement in an index apart.
func SplitMember(member string) (deployment, report int64, slot string, err error) {
	parts := strings.SplitN(member, ":", 3)
	if len(parts) != 3 {
		return 0, 0, "", fmt.Errorf("index: %q names no placement", member)
	}
	if deployment, err = ParseID(parts[0]); err != nil {
		return 0, 0, "", fmt.Errorf("index: %w", err)
	}
	if report, err = ParseID(parts[1]); err != nil {
		return 0, 0, "", fmt.Errorf("index: %w", err)
	}
	return deployment, report, parts[2], nil
}
