package ascode

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"strconv"
	"unicode"
	"unicode/utf8"

	"mooring/placements"
	"mooring/storage/record/portable"
)

// Review is a plan as people read it.
type Review struct {
	*portable.ApplyPlan
	folder *Folder // where its assets stand; nil: not known
}

// ParsePlan reads a plan as the server sends it. Numbers stay as they are written.
func ParsePlan(text []byte) (*Review, error) {
	from := json.NewDecoder(bytes.NewReader(text))
	from.UseNumber()
	p := new(portable.ApplyPlan)
	if err := from.Decode(p); err != nil {
		return nil, fmt.Errorf("plan: %w", err)
	}
	for _, a := range p.Assets {
		if _, known := looks[a.Action]; !known || rank(a.Kind) < 0 {
			return nil, fmt.Errorf("plan: this version of mooring knows no %q of a %q: update it", a.Action, a.Kind)
		}
	}
	return &Review{ApplyPlan: p}, nil
}

// Locate makes a plan that is shown name the folder's files: a derived publicId says nothing to people.
func (r *Review) Locate(f *Folder) { r.folder = f }

// where names the file of an asset behind its ref; one that has none is called by its name.
func (r *Review) where(a portable.PlannedAsset) string {
	if r.folder != nil {
		if found := r.folder.find(a.Kind, a.Ref); found != nil {
			return " in " + found.file.name
		}
	}
	if a.Called != "" {
		return ` "` + a.Called + `"`
	}
	return ""
}

// Empty reports whether an apply would change nothing.
func (r *Review) Empty() bool {
	for _, a := range r.Assets {
		if a.Action != portable.ActionUnchanged && a.Action != portable.ActionKept {
			return false
		}
	}
	return true
}

// Faults returns the conflicts and errors of a plan at their places in the folder; nil for none.
func (r *Review) Faults(f *Folder) Faults {
	var found Faults
	for _, a := range r.Assets {
		switch {
		case a.Error != nil && a.Kind == portable.KindReport && a.Error.Line > 0:
			found.add(RuleServer, f.SQLPlace(a.Ref, a.Error.Line, a.Error.Column), "%s:%s: %s", a.Kind, a.Ref, a.Error.Message)
		case a.Error != nil:
			found.add(RuleServer, f.PlaceOf(a.Kind, a.Ref, ""), "%s:%s: %s", a.Kind, a.Ref, a.Error.Message)
		case a.Action == portable.ActionConflict:
			found.add(RuleServer, f.PlaceOf(a.Kind, a.Ref, ""), "%s:%s: %s", a.Kind, a.Ref, conflict(a))
		}
	}
	return found
}

// conflict says why an asset cannot be applied, and what to do.
func conflict(a portable.PlannedAsset) string {
	switch {
	case a.Message != "":
		return a.Message
	case a.ManagedBy != nil:
		const message = "is managed by the project %s: take it out here, or take it over with --take-over %s:%s"
		return fmt.Sprintf(message, a.ManagedBy.Project, a.Kind, a.Ref)
	}
	return "cannot be applied"
}

// ServerFaults returns what the server found in the folder's bundle at its places.
func (f *Folder) ServerFaults(details []placements.Detail) Faults {
	var found Faults
	for _, d := range details {
		found.add(RuleServer, f.Place(d.Pointer), "%s", sentence(d))
	}
	return found
}

// sentence is the message. One that goes on from the pointer, such as "is too long", begins with the member's name.
func sentence(d placements.Detail) string {
	first, _ := utf8.DecodeRuneInString(d.Message)
	if !unicode.IsLower(first) {
		return d.Message
	}
	member := d.Pointer
	for _, err := strconv.Atoi(path.Base(member)); err == nil; _, err = strconv.Atoi(path.Base(member)) {
		member = path.Dir(member) // an item of the member's list
	}
	return unescapeStep.Replace(path.Base(member)) + " " + d.Message
}
