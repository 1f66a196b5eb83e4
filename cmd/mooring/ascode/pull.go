package ascode

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"mooring/cmd/mooring/yaml"
	"mooring/storage/record/portable"
)

// Remote is an asset as the server has it: an item of GET …/managed.
type Remote struct {
	Kind       portable.AssetKind `json:"kind"`
	Ref        string             `json:"ref"`
	ID         json.RawMessage    `json:"id"`
	Version    int64              `json:"version"`
	Definition map[string]any     `json:"definition"`
	Applied    map[string]any     `json:"applied"` // what the files said at the last apply; nil where this project never applied it
	Unsaid     map[string]any     `json:"unsaid"`  // what they left out then, as that apply left it; nil where that is not known
	Protect    bool               `json:"protect"`
	Deleted    *portable.Deletion `json:"deleted"`
}

// Pulled is what is to be written so that the folder says what the server has.
type Pulled struct {
	Changes   []FileChange
	Conflicts []Conflict // the file's values are kept
	Notes     []string   // what could not be done, and what to do
	dir       string
}

// Pull compares the folder with the server and returns what is to be written. Only files whose meaning changes are, and of those what does
// not change stays as it is. Where a file and the server changed the same, side decides.
func (f *Folder) Pull(remotes []Remote, side Side) Pulled {
	p := puller{Folder: f, side: side, ids: f.fileIDs(), edits: map[*file]*edit{}, names: f.stems()}
	p.pulled.dir, p.reports = f.dir, map[string]bool{}
	for _, remote := range remotes {
		p.reports[remote.Ref] = remote.Kind == portable.KindReport || p.reports[remote.Ref]
	}
	for _, remote := range remotes {
		p.pull(remote)
	}
	p.write()
	return p.pulled
}

// Write writes the files, each wholly or not at all.
func (p Pulled) Write() error { return write(p.dir, p.Changes) }

// LacksSchemas reports whether the pull makes files whose schemas, which they name, are not in the folder.
func (p Pulled) LacksSchemas() bool {
	return slices.ContainsFunc(p.Changes, func(c FileChange) bool {
		kind := kindOf(path.Dir(c.File))
		if !c.New || kind == "" {
			return false
		}
		_, err := os.Stat(filepath.Join(p.dir, SchemaDirectory, SchemaFile(schemaKind(kind))))
		return err != nil
	})
}

// puller collects what a pull changes.
type puller struct {
	*Folder
	side    Side
	ids     fileIDs
	entries []entry
	reports map[string]bool // that this project has, by their publicId in the environment
	names   map[string]bool // the files that there are, without their endings, in lower case
	edits   map[*file]*edit
	pulled  Pulled
}

// entry is what becomes of an asset's entry in mooring.lock, unless its file is not written.
type entry struct {
	file *file // nil: the asset has none
	kind portable.AssetKind
	ref  string
	now  *locked // nil: none
}

// edit is what becomes of a file.
type edit struct {
	want    map[string]any
	fresh   bool // the file does not exist yet
	deleted bool
	removed []int // items of placements
	sql     *string
	noSQL   bool
}

// notTraced says why a publicId of the environment has none in the files.
const notTraced = "derived from one that stands in no file and not in " + lockFile + ": pull from the environment that has it, then again"

func (p *puller) note(format string, args ...any) {
	p.pulled.Notes = append(p.pulled.Notes, fmt.Sprintf(format, args...))
}

func (p *puller) pull(remote Remote) {
	if remote.Applied == nil && remote.Unsaid != nil {
		remote.Applied = map[string]any{} // the files said nothing
	}
	if rank(remote.Kind) < 0 {
		p.note("%q:%s is left out: this version of mooring knows no such kind; update it", remote.Kind, remote.Ref)
		return
	}
	ref := p.ids.ref(remote.Kind, remote.Ref)
	if ref == "" {
		p.note("%s:%s is left out: it is %s", remote.Kind, remote.Ref, notTraced)
		return
	}
	a := p.find(remote.Kind, remote.Ref)
	switch {
	case remote.Deleted != nil && a == nil:
		p.entries = append(p.entries, entry{kind: remote.Kind, ref: ref})
		return
	case remote.Deleted != nil:
		p.remove(a, remote, ref)
		return
	case a != nil:
		p.update(a, remote, ref)
	default:
		a = p.create(remote, ref)
	}
	if remote.Applied != nil {
		now := locked{p.Project.Environment.Name, remote.Kind, ref, remote.ID, remote.Version, hash(remote.Kind, remote.Applied)}
		p.entries = append(p.entries, entry{a.file, remote.Kind, ref, &now})
	}
}

// edit returns what becomes of a file so far.
func (p *puller) edit(f *file) *edit {
	if p.edits[f] == nil {
		p.edits[f] = &edit{want: clone(f.raw).(map[string]any)}
	}
	return p.edits[f]
}

func clone(v any) any {
	switch v := v.(type) {
	case []any:
		items := make([]any, len(v))
		for i, item := range v {
			items[i] = clone(item)
		}
		return items
	case map[string]any:
		members := make(map[string]any, len(v))
		for k, item := range v {
			members[k] = clone(item)
		}
		return members
	}
	return v
}

// remove takes an asset out of the folder that was deleted on the server, unless its file was changed since it was applied.
func (p *puller) remove(a *asset, remote Remote, ref string) {
	if p.side != Theirs && p.changed(a, remote, ref) {
		if p.side == Undecided {
			p.pulled.Conflicts = append(p.pulled.Conflicts, Conflict{Kind: a.kind, Ref: a.ref, Place: a.at, File: a.definition()})
		}
		return
	}
	p.entries = append(p.entries, entry{file: a.file, kind: a.kind, ref: ref})
	p.note("%s was deleted on the server%s: it is taken out of %s", a, deletedBy(remote.Deleted), a.file.name)
	e := p.edit(a.file)
	if a.kind == portable.KindPlacement {
		e.removed = append(e.removed, a.item)
	} else {
		e.deleted = true
	}
}

func deletedBy(d *portable.Deletion) (s string) {
	if d.By != "" {
		s += " by " + d.By
	}
	if d.At != "" {
		s += " at " + d.At
	}
	return s
}

// changed reports whether a file's asset is known to differ from what was applied.
func (p *puller) changed(a *asset, remote Remote, ref string) bool {
	if remote.Applied != nil {
		return compact(normal(canonical(a.kind, remote.Applied))) != compact(normal(canonical(a.kind, a.definition())))
	}
	return p.lock.find(p.Project.Environment.Name, a.kind, ref) >= 0 && !p.untouched(a, ref)
}

// untouched reports whether an asset's file is known to say what was applied when this folder was last applied or pulled.
func (p *puller) untouched(a *asset, ref string) bool {
	i := p.lock.find(p.Project.Environment.Name, a.kind, ref)
	return i >= 0 && p.lock[i].Hash == hash(a.kind, a.definition())
}

// update brings what the server changed into an asset's file.
func (p *puller) update(a *asset, remote Remote, ref string) {
	ours, theirs := canonical(a.kind, a.definition()), canonical(a.kind, remote.Definition)
	base, left := canonical(a.kind, remote.Applied), p.leftOut(a, remote)
	for member, v := range left {
		base[member] = v
		if gone(get(ours, member)) {
			ours[member] = v
		}
	}
	if p.untouched(a, ref) { // without local edits, what others have applied since counts as the server's change
		for member := range base {
			if gone(get(ours, member)) {
				ours[member] = nil // without a value, and yet a member to merge
			}
		}
		base, _ = clone(ours).(map[string]any)
	}
	m := merging{side: p.side, kind: a.kind}
	merged := m.members("", base, ours, theirs)
	for _, c := range m.conflicts {
		c.Kind, c.Ref, c.Place = a.kind, a.ref, a.def.At(c.Pointer).Place
		p.pulled.Conflicts = append(p.pulled.Conflicts, c)
	}
	for _, member := range union(ours, merged) {
		v := get(merged, member)
		switch {
		case m.same("/"+member, get(ours, member), v):
		case empty(v) && !empty(left[member]): // a line that is missing would mean what was there
			p.clear(a, member)
		default:
			p.set(a, member, present(v))
		}
	}
}

// leftOut returns the members that the files left out at the last apply, as that left them. A file that leaves one out still means that.
func (p *puller) leftOut(a *asset, remote Remote) map[string]any {
	left, _ := clone(canonical(a.kind, remote.Unsaid)).(map[string]any)
	for member := range left {
		if _, had := remote.Applied[member]; had {
			delete(left, member)
		}
	}
	return left
}

// write turns what becomes of files into changes, and adds mooring.lock's. What is deleted comes last: until then it may stand in no other
// file.
func (p *puller) write() {
	files := slices.SortedFunc(maps.Keys(p.edits), func(a, b *file) int { return strings.Compare(a.name, b.name) })
	left := map[*file]bool{}
	for _, f := range files {
		left[f] = !p.writeFile(f, p.edits[f])
	}
	if now := p.lockWithout(left).String(); now != p.lock.String() {
		p.change(FileChange{File: lockFile, Text: now, New: len(p.lock) == 0})
	}
	slices.SortStableFunc(p.pulled.Changes, func(a, b FileChange) int {
		switch {
		case a.Delete == b.Delete:
			return 0
		case a.Delete:
			return 1
		}
		return -1
	})
}

// lockWithout returns the lock after the pull. What stands in a file that was left as it is keeps its entry, which is still what the file
// was last made from.
func (p *puller) lockWithout(left map[*file]bool) lock {
	now := slices.Clone(p.lock)
	for _, e := range p.entries {
		if left[e.file] {
			continue
		}
		now = now.without(p.Project.Environment.Name, e.kind, e.ref)
		if e.now != nil {
			now = append(now, *e.now)
		}
	}
	return now
}

// change adds a change, and notes what makes the file one that is refused.
func (p *puller) change(c FileChange) {
	p.pulled.Changes = append(p.pulled.Changes, c)
	var found Faults
	found.fitsNoSecret(c.File, c.Text)
	for _, fault := range found {
		p.note("%s: %s", fault.Place, fault.Message)
	}
}

// writeFile adds what becomes of a file, and reports whether that can be written.
func (p *puller) writeFile(f *file, e *edit) bool {
	if len(e.removed) > 0 {
		e.removeItems()
	}
	if e.deleted {
		p.change(FileChange{File: f.name, Delete: true})
		if f.sql != nil {
			p.change(FileChange{File: f.sql.name, Delete: true})
		}
		return true
	}
	e.sayNoQuery(f)
	c := FileChange{File: f.name}
	switch {
	case e.fresh:
		c.Text, c.New = schemaLine(f.kind, f.name)+yaml.Emit(e.want, shapeOf(f.kind).Order()), true
	case compact(e.want) != compact(f.raw):
		text, inPlace := yaml.Update(f.text, e.want, shapeOf(f.kind).Order())
		c.Text, c.Anew = text, !inPlace
	default:
		p.writeSQL(f, e)
		return true
	}
	if _, faults := yaml.Parse(f.name, c.Text); len(faults) > 0 {
		p.note("%s is not written, since what the server has for it could not be read again: %s", f.name, faults[0].Message)
		return false
	}
	p.writeSQL(f, e)
	p.change(c)
	return true
}

// sayNoQuery makes a report without a query say so: else its file of SQL may be missing.
func (e *edit) sayNoQuery(f *file) {
	_, query := e.want["query"]
	_, inside := e.want["sql"]
	beside := e.sql != nil || f.sql != nil && !e.noSQL
	if f.kind == portable.KindReport && !query && !inside && !beside {
		e.want["sql"] = nil
	}
}

// removeItems takes items out of a list of placements; without any the file goes.
func (e *edit) removeItems() {
	var kept []any
	for i, item := range e.want["items"].([]any) {
		if !slices.Contains(e.removed, i) {
			kept = append(kept, item)
		}
	}
	e.want["items"], e.deleted = kept, len(kept) == 0
}
