package storage

import (
	"cmp"
	"context"
	"errors"

	"github.com/redis/go-redis/v9"
)

// placementWrite is one write to the placements of a report.
type placementWrite struct {
	near   near
	who    Reader
	absent bool // what this process has never seen may be taken for absent
	fresh  bool // what this process remembers is not enough: it has no checksums
	marked bool // decide sets all marks of the report: they need not be read
	show   int  // most fields of the placements hash to give back, see inlineFields; negative: none
	alone  int  // fields that the hash has when the write leaves nothing in it that decide does not know: they are not given back

	// decide gives what to change. r has the placements that near names; decide makes it show the outcome.
	decide func(todo *changes, r *Report) error
	// overlap gives, after decide, where to look for overlaps; nil looks nowhere.
	overlap func(r *Report) (slot string, at spot)
	// taken gives, after decide, the slot whose record is wanted as it was before; nil wants none.
	taken func() string
}

// written is what a placementWrite has come to.
type written struct {
	report   *Report
	placed   map[string]string // the placements hash, nil when it has more fields than were asked for, empty when it has alone
	overlaps []string          // members of the cell index
	taken    string            // the record that was wanted
}

// inlineFields is how many fields of a placements hash the script of a write gives back: reading more would keep other writers waiting.
const inlineFields = 32

// optimisticTries is how often a write is tried without the report's lock.
const optimisticTries = 3

// applyPlacement runs a write. It decides on what this process last saw, or reads it, and then applies the decision if all it was made on is
// still so. A write that is overtaken again and again takes the report's lock. ErrNotFound also when who may not read the report.
func (s *Store) applyPlacement(ctx context.Context, k deploymentKeys, id int64, w placementWrite) (*written, error) {
	done, err := s.turns.wait(ctx, k.report(id), cmp.Or(w.near.key, w.near.id))
	if err != nil {
		return nil, err
	}
	defer done()
	for try := range optimisticTries {
		r, remembered := s.known.recall(k, id, w.near, w.absent)
		if remembered = remembered && try == 0 && !w.fresh; !remembered {
			var err error
			if r, err = s.loadNear(ctx, k, id, w.near); err != nil {
				return nil, err
			}
		}
		out, err := s.tryPlacement(ctx, k, r, w, held{})
		switch {
		case errors.Is(err, errOvertaken), err != nil && remembered && decided(err):
		default:
			return out, err
		}
	}
	h, r, err := s.lockNear(ctx, k, id, w.near)
	if err != nil {
		return nil, err
	}
	defer s.unlock(ctx, h)
	out, err := s.tryPlacement(ctx, k, r, w, h)
	if errors.Is(err, errOvertaken) {
		return nil, ErrLockLost
	}
	return out, err
}

// has tells whether r has a placement of that slot and address.
func (r *Report) has(p *Placed) bool {
	for i := range r.Placements {
		q := &r.Placements[i]
		if q.ID == p.ID && q.WorkbookID == p.WorkbookID && q.SheetName == p.SheetName && q.AnchorCell == p.AnchorCell {
			return true
		}
	}
	return false
}

// errOvertaken: what a write was decided on has changed; nothing was written.
var errOvertaken = errors.New("overtaken by another writer")

// decided tells the errors of a decision, which may be wrong when it was made on what was remembered, from those of storage.
func decided(err error) bool { return !errors.Is(err, ErrUnavailable) }

// tryPlacement decides on r and applies it, under h if that is held.
func (s *Store) tryPlacement(ctx context.Context, k deploymentKeys, r *Report, w placementWrite, h held) (*written, error) {
	if !w.who.mayRead(&r.Definition) {
		return nil, ErrNotFound
	}
	before := append([]Placed(nil), r.Placements...)
	var todo changes
	if err := w.decide(&todo, r); err != nil {
		return nil, err
	}
	if todo.err != nil {
		return nil, todo.err
	}
	keys, args := s.applyArgs(k, r, before, todo, w, h)
	out, err := applyScript.Run(ctx, s.hot, keys, args...).Slice()
	if err != nil {
		return nil, unavailable(err)
	}
	if len(out) == 1 {
		return nil, errOvertaken
	}
	for _, p := range before {
		if !r.has(&p) {
			s.known.forget(k, r.ID, p)
		}
	}
	s.known.remember(k, r)
	if marks := list(out[1]); !w.marked {
		if r.Marks, err = readMarks(r.ID, marks[0], marks[1]); err != nil {
			return nil, err
		}
	}
	done := &written{report: r, overlaps: list(out[2]), taken: text(out[4])}
	if out[3] != nil {
		done.placed = pairs(out[3])
	}
	return done, nil
}

// applyScript applies a write to the placements of a report if what it was decided on is still so.
//
//	KEYS   report, placements, lock of the report, cell index to look for overlaps in, one key a change
//	ARGV   1 version of the report, 2 token of the lock or "" without it, 3-8 overlaps: member to leave out or "", first and last row, first
//	       and last column, how many at most, 9 most fields to show, 10 "marks" to read those of the report, or "", 11 field to give back as it was
//	       or "", 12 number of fields of the placements hash that is not worth showing, 13 n, then n times a field of the placements hash and what it must hold: nothing, a value, or a revision and a tab;
//	       then for each change: command, argument count, arguments
//	result {1, marks of the report, members of the cell index, placements hash or false, what the field held}, or {0} and nothing was changed
var applyScript = redis.NewScript(applyChanges + overlapScript + `
if redis.call('HGET', KEYS[1], '` + fieldVersion + `') ~= ARGV[1] then return {0} end
if (redis.call('GET', KEYS[3]) or '') ~= ARGV[2] then return {0} end
local a, taken = 14, ''
for _ = 1, tonumber(ARGV[13]) do
  local now, want = redis.call('HGET', KEYS[2], ARGV[a]) or '', ARGV[a + 1]
  if now ~= want and (string.byte(want, -1) ~= 9 or string.sub(now, 1, #want) ~= want) then return {0} end
  if ARGV[a] == ARGV[11] then taken = now end
  a = a + 2
end
applyChanges(5, a)
local found = {}
if ARGV[3] ~= '' then
  found = overlapping(KEYS[4], ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8]))
end
local placed, most = {}, tonumber(ARGV[9])
if most >= 0 then
  local fields = redis.call('HLEN', KEYS[2])
  if fields > most then placed = false elseif fields ~= tonumber(ARGV[12]) then placed = redis.call('HGETALL', KEYS[2]) end
end
local marks = {}
if ARGV[10] ~= '' then marks = redis.call('HMGET', KEYS[1], '` + fieldMarks + `', '` + fieldLocated + `') end
return {1, marks, found, placed, taken}`)

// applyArgs prepares applyScript. before is what near names as it was when w was decided.
func (s *Store) applyArgs(k deploymentKeys, r *Report, before []Placed, todo changes, w placementWrite, h held) ([]string, []any) {
	var skip, taken, marks string
	var at spot
	if w.overlap != nil {
		var slot string
		slot, at = w.overlap(r)
		skip = k.cellMember(r.ID, slot, at)
	}
	if w.taken != nil {
		if slot := w.taken(); slot != "" {
			taken = placementField + slot
		}
	}
	if !w.marked {
		marks = "marks"
	}
	wants := conditions(w.near, before)
	args := make([]any, 0, 13+len(wants)+8*len(todo.list))
	args = append(args, r.Version, h.token, skip, at.rect.Top, at.rect.Bottom, at.rect.Left, at.rect.Right, maxOverlaps, w.show, marks, taken, w.alone, len(wants)/2)
	args = append(args, wants...)
	keys := append(make([]string, 0, 4+len(todo.list)), k.report(r.ID), k.placements(r.ID), k.reportLock(r.ID), k.cells(at.sheet()))
	return todo.appendTo(keys, args)
}

// conditions lists fields of the placements hash and what they must hold for what n names to be exactly before. A record that is still the same one
// still stands at its address, so only an address that is free needs to be looked at.
func conditions(n near, before []Placed) (wants []any) {
	freeID, freeKey := n.id != "", n.key != ""
	for i := range before {
		p := &before[i]
		slot := slotOf(p.Placement)
		wants = append(wants, placementField+slot, p.Rev+"\t")
		freeID = freeID && slot != n.id
		freeKey = freeKey && p.AddressKey() != n.key
	}
	if freeID {
		wants = append(wants, placementField+n.id, "")
	}
	if freeKey {
		wants = append(wants, addressField+n.key, "")
	}
	return wants
}

// newHot gives the client of the script that every request needs: one that sends what waits in one batch. The embedded server's pipes hold one
// command at a time.
func newHot(rdb redis.UniversalClient, embedded bool) (redis.Scripter, error) {
	if embedded {
		return rdb, nil
	}
	return rdb.AutoPipeline()
}

// text is a bulk string of a script's reply, empty for nil.
func text(v any) string {
	s, _ := v.(string)
	return s
}

// list is an array of bulk strings of a script's reply.
func list(v any) []string {
	values, _ := v.([]any)
	texts := make([]string, len(values))
	for i, value := range values {
		texts[i] = text(value)
	}
	return texts
}
