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
	overlap func() *stand
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
	done, err := s.turns.wait(ctx, k.ref(id), cmp.Or(w.near.key, w.near.id))
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

// tryPlacement decides on r and applies it, under h if that is held.
func (s *Store) tryPlacement(ctx context.Context, k deploymentKeys, r *Report, w placementWrite, h held) (*written, error) {
	if !w.who.mayRead(&r.Definition) {
		return nil, ErrNotFound
	}
	before, wants := conditions(w.near, r.Placements)
	todo := changes{list: make([]change, 0, 8)}
	if err := w.decide(&todo, r); err != nil {
		return nil, err
	}
	if todo.err != nil {
		return nil, todo.err
	}
	out, err := runScript(ctx, s.hot, applyScript, s.applyCommand(k, r, wants, todo, w, h))
	if err != nil {
		return nil, unavailable(err)
	}
	reply, applied := out.([]any)
	if !applied {
		return nil, errOvertaken
	}
	s.known.replace(k, r, before)
	return w.read(r, reply), nil
}

// applyScript applies a write to the placements of a report if what it was decided on is still so.
//
//	KEYS   report, placements, lock of the report, the cell indexes to look for overlaps in, one key a change
//	ARGV   1 version of the report, 2 token of the lock or "" without it, 3 field of the placements hash to give back as it was or "", 4 "marks" to read
//	       those of the report or "", 5 most fields of the placements hash to show, 6 the number of them that is not worth showing, 7 number of
//	       conditions, 8 number of cell indexes, then, if there are any, what overlapArgs gives;
//	       then for each condition: field of the placements hash, what it must hold or ""; then for each change: command, argument count, arguments
//	result {members of the cell indexes, placements hash or false, marks of the report or false, what the field held or false}, or 0 and nothing was changed
var applyScript = redis.NewScript(applyChanges + overlapScript + `
if redis.call('HGET', KEYS[1], '` + fieldVersion + `') ~= ARGV[1] then return 0 end
if (redis.call('GET', KEYS[3]) or '') ~= ARGV[2] then return 0 end
local indexes = tonumber(ARGV[8])
local a = indexes == 0 and 9 or 14 + indexes
for _ = 1, tonumber(ARGV[7]) do
  if (redis.call('HGET', KEYS[2], ARGV[a]) or '') ~= ARGV[a + 1] then return 0 end
  a = a + 2
end
local taken = ARGV[3] ~= '' and redis.call('HGET', KEYS[2], ARGV[3])
applyChanges(4 + indexes, a)
local found = indexes == 0 and {} or overlapping(4, 9)
local placed, most = {}, tonumber(ARGV[5])
if most >= 0 then
  local fields = redis.call('HLEN', KEYS[2])
  placed = fields <= most and (fields == tonumber(ARGV[6]) and {} or redis.call('HGETALL', KEYS[2]))
end
return {found, placed, ARGV[4] ~= '' and redis.call('HMGET', KEYS[1], '` + fieldMarks + `', '` + fieldLocated + `'), taken}`)

// applyCommand prepares applyScript for runScript.
func (s *Store) applyCommand(k deploymentKeys, r *Report, wants []any, todo changes, w placementWrite, h held) []any {
	var taken, marks string
	if w.taken != nil {
		if slot := w.taken(); slot != "" {
			taken = placementField + slot
		}
	}
	if !w.marked {
		marks = "marks"
	}
	var at *stand
	indexes := 0
	if w.overlap != nil {
		at, indexes = w.overlap(), len(levelRows)
	}
	cmd := append(make([]any, scriptHead, 64), k.report(r.ID), k.placements(r.ID), k.reportLock(r.ID))
	if at != nil {
		cmd = k.overlapKeys(cmd, at.sheet())
	}
	cmd = endKeys(todo.appendKeys(cmd))
	cmd = append(cmd, r.Version, h.token, taken, marks, w.show, w.alone, len(wants)/2, indexes)
	if at != nil {
		cmd = overlapArgs(cmd, k.cellMember(r.ID, at), at.rect)
	}
	return todo.appendArgs(append(cmd, wants...))
}

// read gives what applyScript replied.
func (w *placementWrite) read(r *Report, reply []any) *written {
	done := &written{report: r, overlaps: list(reply[0]), taken: text(reply[3])}
	if reply[1] != nil {
		done.placed = pairs(reply[1])
	}
	if !w.marked {
		r.marks = list(reply[2])
	}
	return done
}

// conditions lists where those placements stand, and fields of the placements hash with what they must hold for what n names to be exactly those
// placements. One that was not written again still stands at its address, so only an address that is free needs to be looked at.
func conditions(n near, placed []Placed) (at []*stand, wants []any) {
	freeID, freeKey := n.id != "", n.key != ""
	for i := range placed {
		p := &placed[i]
		at, wants = append(at, p.standing()), append(wants, revisionField+p.stands.slot, p.Rev)
		freeID = freeID && p.stands.slot != n.id
		freeKey = freeKey && p.stands.key != n.key
	}
	if freeID {
		wants = append(wants, revisionField+n.id, "")
	}
	if freeKey {
		wants = append(wants, addressField+n.key, "")
	}
	return at, wants
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
