package storage

import (
	"cmp"
	"context"
	"errors"

	"mooring/storage/record"
	"mooring/storage/redis"
)

// placementWrite is one write to the placements of a report.
type placementWrite struct {
	near   near
	who    record.Actor
	absent bool // what this process has never seen may be taken for absent
	fresh  bool // what this process remembers is not enough: it has no checksums
	marked bool // decide sets all marks of the report: they need not be read
	show   int  // most fields of the placements hash to give back, see inlineFields; negative: none
	alone  int  // fields that the hash has when the write leaves nothing in it that decide does not know: they are not given back

	// decide gives what to change. r has the placements that near names; decide makes it show the outcome.
	decide func(todo *changes, r *Report) error
	// overlap gives, after decide, where to look for overlaps; nil looks nowhere.
	overlap func() *stand
	// taken and left give, after decide, the field of the placements hash that is wanted as it was before the write, or as it is
	// afterwards; nil wants none.
	taken, left func() string
}

// written is what a placementWrite has come to.
type written struct {
	report   *Report
	placed   map[string]string // the placements hash, nil when it has more fields than were asked for, empty when it has alone
	fields   int64             // how many the placements hash has, when placed is nil
	overlaps []string          // members of the cell index
	taken    string            // the field that was wanted as it was
	left     string            // the field that was wanted as it is
}

// inlineFields is how many fields of a placements hash the script of a write returns: reading more would keep other writers waiting.
const inlineFields = 32

// optimisticTries is how often a write is tried without the report's lock.
const optimisticTries = 3

// applyPlacement runs a write. It decides on what this process last saw, or reads it, and then applies the decision if all it was made on
// is still so. A write that is overtaken again and again takes the report's lock. ErrNotFound also when who may not read the report.
func (s *Store) applyPlacement(ctx context.Context, k deploymentKeys, id int64, w placementWrite) (*written, error) {
	done, err := s.placing.Lock(ctx, placeKey{k.ref(id), cmp.Or(w.near.key, w.near.id)})
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

// errOvertaken: what a write was decided on has changed; nothing was written.
var errOvertaken = errors.New("overtaken by another writer")

// decided tells the errors of a decision, which may be wrong when it was made on what was remembered, from those of storage.
func decided(err error) bool { return !errors.Is(err, ErrUnavailable) }

// placeKey is what writers of placements go one after the other for: a report, and a placement's address or id in it.
type placeKey struct {
	report reportRef
	place  string
}

// tryPlacement decides on r and applies it, under h if that is held.
func (s *Store) tryPlacement(ctx context.Context, k deploymentKeys, r *Report, w placementWrite, h held) (*written, error) {
	if w.who.Level(&r.Definition) < record.MayRead {
		return nil, ErrNotFound
	}
	if w.who.Expects != nil {
		if err := w.who.Expects(r.Version); err != nil {
			return nil, err
		}
	}
	before, wants := conditions(w.near, r.Placements)
	counts := k.counts(r, w.near, before)
	todo := changes{keys: make([]any, 0, 8), args: make([]any, 0, 32)}
	if err := w.decide(&todo, r); err != nil {
		return nil, err
	}
	if todo.err != nil {
		return nil, todo.err
	}
	out, err := redis.RunScript(ctx, s.hot, applyScript, s.applyCommand(k, r, wants, counts, todo, w, h))
	if err != nil {
		return nil, redis.Unavailable(err)
	}
	reply, applied := out.([]any)
	if !applied {
		return nil, errOvertaken
	}
	s.known.replace(k, r, before)
	return w.read(r, reply), nil
}

// applyScript applies a write to the placements of a report if what it was decided on is still so. Every argument costs as much as a small
// command, so what a usual connect does not need is left out.
//
//	KEYS   report, placements, lock of the report, the cell indexes to look for overlaps in, if any, one key a count, one key a change
//	ARGV   1 version of the report, 2 token of the lock or "" without it, 3 number of conditions, 4 number of cell indexes, 5 "read" if there is anything
//	       to read but overlaps, else "";
//	       with cell indexes: member of the placement, first row in which what reaches down to it from the lowest level may begin, its own first row;
//	       with "read": fields of the placements hash to give back as it was and as it is then, or "", "marks" to read those of the report or "", most
//	       fields of the placements hash to show, negative for none, the number of them that is not worth showing;
//	       for each condition: field of the placements hash, what it must hold or ""; for each count: ZLEXCOUNT, 3, its bounds, what it must
//	       be; then the args of the changes
//	result {members of the cell indexes, with "read" also what the two fields held and hold or false, marks of the report or false, placements hash, or
//	       how many fields it has}; 0: nothing was changed
var applyScript = redis.NewScript(applyChanges + overlapScript + `
if redis.call('HGET', KEYS[1], '` + fieldVersion + `') ~= ARGV[1] then return 0 end
if (redis.call('GET', KEYS[3]) or '') ~= ARGV[2] then return 0 end
local indexes, read, a = tonumber(ARGV[4]), ARGV[5] ~= '', 6
if indexes > 0 then a = a + 3 end
local r = a
if read then a = a + 5 end
for _ = 1, tonumber(ARGV[3]) do
  if (redis.call('HGET', KEYS[2], ARGV[a]) or '') ~= ARGV[a + 1] then return 0 end
  a = a + 2
end
local first = 4 + indexes
while ARGV[a] == 'ZLEXCOUNT' do
  if redis.call('ZLEXCOUNT', KEYS[first], ARGV[a + 2], ARGV[a + 3]) ~= tonumber(ARGV[a + 4]) then return 0 end
  first, a = first + 1, a + 5
end
local taken = read and ARGV[r] ~= '' and redis.call('HGET', KEYS[2], ARGV[r])
applyChanges(first, a)
local found = {}
if indexes > 0 then
  local self = ARGV[6]
  found = overlapping(4, self, ARGV[7], ARGV[8], string.sub(self, 1, 7), string.sub(self, 9, 13), string.sub(self, 15, 19))
end
if not read then return {found} end
local left = ARGV[r + 1] ~= '' and redis.call('HGET', KEYS[2], ARGV[r + 1])
local marks = ARGV[r + 2] ~= '' and redis.call('HMGET', KEYS[1], '` + fieldMarks + `', '` + fieldEcho + `')
local placed, most = {}, tonumber(ARGV[r + 3])
if most >= 0 then
  local fields = redis.call('HLEN', KEYS[2])
  if fields > most then placed = fields elseif fields ~= tonumber(ARGV[r + 4]) then placed = redis.call('HGETALL', KEYS[2]) end
end
return {found, taken, left, marks, placed}`)

// applyCommand prepares applyScript for RunScript.
func (s *Store) applyCommand(k deploymentKeys, r *Report, wants []any, counts, todo changes, w placementWrite, h held) []any {
	var at *stand
	indexes := 0
	if w.overlap != nil {
		at, indexes = w.overlap(), len(levelRows)
	}
	read := w.reads()
	cmd := redis.Command(k.report(r.ID), k.placements(r.ID), k.reportLock(r.ID))
	if at != nil {
		cmd = k.overlapKeys(cmd, at.sheet())
	}
	cmd = redis.EndKeys(append(append(cmd, counts.keys...), todo.keys...))
	cmd = append(cmd, r.Version, h.token, len(wants)/2, indexes, read)
	if at != nil {
		cmd = append(cmd, k.cellMember(r.ID, at), overlapBegin(at.rect), padded(at.rect.Top, rowDigits))
	}
	if read != "" {
		cmd = append(cmd, wanted(w.taken), wanted(w.left), w.marks(), w.show, w.alone)
	}
	return append(append(append(cmd, wants...), counts.args...), todo.args...)
}

// reads tells applyScript whether there is anything to read but overlaps.
func (w *placementWrite) reads() string {
	if wanted(w.taken) == "" && wanted(w.left) == "" && w.marked && w.show < 0 {
		return ""
	}
	return "read"
}

// wanted is a field that is wanted, empty when none is.
func wanted(field func() string) string {
	if field == nil {
		return ""
	}
	return field()
}

// marks tells applyScript whether the report's marks are to be read.
func (w *placementWrite) marks() string {
	if w.marked {
		return ""
	}
	return "marks"
}

// read returns what applyScript replied.
func (w *placementWrite) read(r *Report, reply []any) *written {
	done := &written{report: r, overlaps: redis.List(reply[0]), placed: map[string]string{}}
	if len(reply) == 1 {
		return done
	}
	done.taken, done.left = redis.Text(reply[1]), redis.Text(reply[2])
	if !w.marked {
		r.marks = redis.List(reply[3])
		_, r.marks[1] = splitEcho(r.marks[1])
	}
	if n, tooMany := reply[4].(int64); tooMany {
		done.placed, done.fields = nil, n
	} else {
		done.placed = redis.Pairs(reply[4])
	}
	return done
}

// conditions lists where those placements stand, and fields of the placements hash with what they must hold for what n names to be exactly
// those placements. One that was not written again still stands at its address, so only an address that is free needs to be looked at.
func conditions(n near, placed []Placed) (at []*stand, wants []any) {
	freeID, freeKey := n.id != "", n.key != ""
	for i := range placed {
		p := &placed[i]
		at, wants = append(at, p.standing()), append(wants, addressField+p.stands.key, standsThere(p.stands.slot, p.Rev))
		freeID = freeID && p.stands.slot != n.id
		freeKey = freeKey && p.stands.key != n.key
	}
	if freeID {
		wants = append(wants, placementField+n.id, "")
	}
	if freeKey {
		wants = append(wants, addressField+n.key, "")
	}
	return at, wants
}

// counts lists how many members of indexes n must still find, beside the placements at those stands. A usual write needs none: whoever
// stands at the address it names, or has the id in the spreadsheet, is known.
func (k deploymentKeys) counts(r *Report, n near, at []*stand) (todo changes) {
	onSheet, stands, has := 0, false, false
	for _, s := range at {
		stands = stands || s.key == n.key
		has = has || s.slot == n.id && s.Document == n.document
		if s.sheetID != "" && s.SheetSpot(s.sheetID) == n.sheet {
			onSheet++
		}
	}
	if n.sheet != "" && !stands {
		from, to := prefixed(n.sheet)
		todo.add("ZLEXCOUNT", k.spots(r.ID), from, to, onSheet)
	}
	if n.document != "" && !has {
		from, to := prefixed("=" + n.id)
		todo.add("ZLEXCOUNT", k.document(n.document), from, to, r.heldID)
	}
	return todo
}
