package storage

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"mooring/placements"
	"mooring/storage/keys"
	"mooring/storage/record"
	"mooring/storage/redis"
)

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
    if key ~= before then definition = redis.call('HGET', key, '` + fieldDefinition + `') or 'none' end
    before = key
    local run = redis.call('HGET', key .. ':placements', 'r:' .. slot) or ''
    for _, text in ipairs({ARGV[i], definition, record, run}) do out[#out + 1] = text end
  end
end
return out`)

// DocumentPlacements lists placements of the tenant in a spreadsheet, over all deployments and reports, in a fixed order: at most first of
// them after the cursor of an earlier page, from the start when it is empty. A broken cursor is the *placements.Error CodeCursor.
func (s *Store) DocumentPlacements(
	ctx context.Context, tenant, document, after string, first int,
) (record.Page[record.DocumentPlacement], error) {
	k := s.tenant(tenant)
	home, err := s.Home(ctx, tenant, document)
	if err != nil {
		return record.Page[record.DocumentPlacement]{}, err
	}
	by := redis.ZRangeBy{Min: "-", Max: "(=", Count: int64(first) + 1}
	if after != "" {
		last, err := base64.RawURLEncoding.DecodeString(after)
		if err != nil {
			return record.Page[record.DocumentPlacement]{}, placements.Errorf(placements.CodeCursor,
				"after is not a cursor of this list: send an endCursor as it was given.")
		}
		by.Min = "(" + string(last)
	}
	members, err := s.rdb.ZRangeByLex(ctx, k.Document(home), &by).Result()
	if err != nil {
		return record.Page[record.DocumentPlacement]{}, redis.Unavailable(err)
	}
	var p record.Page[record.DocumentPlacement]
	if p.HasNextPage = len(members) > first; p.HasNextPage {
		members = members[:first]
	}
	if len(members) > 0 {
		p.EndCursor = base64.RawURLEncoding.EncodeToString([]byte(members[len(members)-1]))
	}
	p.Items, err = s.loadMembers(ctx, k, members)
	return p, err
}

// reportsIn lists the reports of a deployment that have a placement in a spreadsheet.
func (s *Store) reportsIn(ctx context.Context, d record.Deployment, document string) ([]int64, error) {
	k := s.deployment(d)
	home, err := s.Home(ctx, d.Tenant, document)
	if err != nil {
		return nil, err
	}
	own := strconv.FormatInt(d.ID, 10)
	members, err := s.rdb.ZRangeByLex(ctx, k.Document(home), &redis.ZRangeBy{Min: "[" + own + ":", Max: "(" + own + ";"}).Result()
	if err != nil {
		return nil, redis.Unavailable(err)
	}
	var reports []int64
	for _, m := range members {
		_, report, _, err := splitMember(m)
		if err != nil {
			return nil, err
		}
		if n := len(reports); n == 0 || reports[n-1] != report {
			reports = append(reports, report)
		}
	}
	return reports, nil
}

// loadMembers reads the placements that an index names, in that order. One that went meanwhile is left out, and so is one that cannot be
// read, which is logged: the others in the spreadsheet must not depend on it.
func (s *Store) loadMembers(ctx context.Context, k keys.TenantKeys, members []string) ([]record.DocumentPlacement, error) {
	if len(members) == 0 {
		return nil, nil
	}
	args := append(make([]any, 0, len(members)+1), k.Prefix)
	for _, m := range members {
		args = append(args, m)
	}
	flat, err := membersScript.Run(ctx, s.rdb, []string{k.Prefix + "doc:"}, args...).StringSlice()
	if err != nil {
		return nil, redis.Unavailable(err)
	}
	loaded := make([]record.DocumentPlacement, 0, len(flat)/4)
	var definition *record.Definition
	for i := 0; i+3 < len(flat); i += 4 {
		if flat[i+1] != "" {
			definition = s.definitionOf(flat[i], flat[i+1])
		}
		p, err := readMember(flat[i], flat[i+2], flat[i+3])
		if err != nil {
			s.log.Error("placement cannot be read", "placement", flat[i], "error", err)
			continue
		}
		p.Definition = definition
		loaded = append(loaded, p)
	}
	return loaded, nil
}

// definitionOf reads the definition of the report of a placement. One that cannot be read is logged and admits who may read all reports:
// its placement still claims its cells.
func (s *Store) definitionOf(member, text string) *record.Definition {
	d := new(record.Definition)
	if err := json.Unmarshal([]byte(text), d); err != nil {
		s.log.Error("definition of a placed report cannot be read", "placement", member, "error", err)
		return new(record.Definition)
	}
	return d
}

func readMember(member, text, run string) (p record.DocumentPlacement, err error) {
	p.Member = member
	var slot string
	if p.DeploymentID, p.ReportID, slot, err = splitMember(member); err != nil {
		return p, err
	}
	placed, err := decodeRecord(slot, text, run)
	if err != nil {
		return p, err
	}
	p.Placement, p.Claim = placed.Placement, placed.Claim
	p.View, err = record.ViewPlacement(slot, text, run)
	return p, err
}

// splitMember takes the name of a placement in an index apart.
func splitMember(member string) (deployment, report int64, slot string, err error) {
	parts := strings.SplitN(member, ":", 3)
	if len(parts) != 3 {
		return 0, 0, "", fmt.Errorf("index: %q names no placement", member)
	}
	if deployment, err = parseID(parts[0]); err != nil {
		return 0, 0, "", fmt.Errorf("index: %w", err)
	}
	if report, err = parseID(parts[1]); err != nil {
		return 0, 0, "", fmt.Errorf("index: %w", err)
	}
	return deployment, report, parts[2], nil
}
