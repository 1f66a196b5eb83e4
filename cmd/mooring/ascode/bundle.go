package ascode

import (
	"strconv"
	"strings"

	"mooring/cmd/mooring/yaml"
	"mooring/storage/record"
	"mooring/storage/record/portable"
)

// PlanRequest is what a plan is asked for with: the body of POST …/plans.
type PlanRequest struct {
	Project     string         `json:"project"`
	Environment string         `json:"environment,omitempty"`
	Assets      []AssetRequest `json:"assets"`
	Prune       *PruneRequest  `json:"prune,omitempty"` // nil deletes nothing
	Detach      bool           `json:"detach,omitempty"`
	Preview     bool           `json:"preview,omitempty"`
	TakeOver    []string       `json:"takeOver,omitempty"`
	Adopt       []string       `json:"adopt,omitempty"`
}

// AssetRequest is one asset of a bundle. A member that its definition lacks is left as the server has it; null clears one.
type AssetRequest struct {
	Kind       portable.AssetKind `json:"kind"`
	Ref        string             `json:"ref"`
	Protect    bool               `json:"protect,omitempty"`
	Definition map[string]any     `json:"definition"`
}

// Bundle returns the folder's assets, reports first, then by ref.
func (f *Folder) Bundle() PlanRequest {
	b := PlanRequest{Project: f.Project.Name, Environment: f.Project.Environment.Name, Assets: make([]AssetRequest, len(f.assets))}
	for i, a := range f.assets {
		b.Assets[i] = AssetRequest{Kind: a.kind, Ref: a.ref, Protect: a.protect, Definition: a.definition()}
	}
	return b
}

// Encode returns a bundle as the body of the request for a plan. The error is Faults for one that a plan does not take.
func (b PlanRequest) Encode() ([]byte, error) {
	body, err := record.EncodeBytes(b) // a < of SQL is one byte
	if err != nil {
		return nil, err
	}
	if len(body) > MaxBytes {
		var found Faults
		const message = "the folder has %d bytes of assets, and a plan takes at most %d: split the project"
		found.add(RuleLimit, yaml.Place{File: projectFile}, message, len(body), MaxBytes)
		return nil, found
	}
	return body, nil
}

// Place returns where a JSON pointer into the bundle stands in the folder: the place of the value, or of the nearest one around it.
func (f *Folder) Place(pointer string) yaml.Place {
	rest, inside := strings.CutPrefix(pointer, "/assets/")
	index, rest, _ := strings.Cut(rest, "/")
	i, err := strconv.Atoi(index)
	if !inside || err != nil || i < 0 || i >= len(f.assets) {
		return yaml.Place{File: projectFile}
	}
	if within, ok := strings.CutPrefix(rest, "definition/"); ok {
		return f.assets[i].def.At(within).Place
	}
	return f.assets[i].at
}

// PlaceOf returns where an asset's member stands, by a JSON pointer into its definition. An asset of no file stands in project.yaml.
func (f *Folder) PlaceOf(kind portable.AssetKind, ref, pointer string) yaml.Place {
	switch a := f.find(kind, ref); {
	case a == nil:
		return yaml.Place{File: projectFile}
	case pointer == "":
		return a.at
	default:
		return a.def.At(pointer).Place
	}
}

// SQLPlace returns where a line and column of a report's SQL stand, both from 1.
func (f *Folder) SQLPlace(ref string, line, column int) yaml.Place {
	a := f.find(portable.KindReport, ref)
	if a == nil || a.def.Get("sqlQuery") == nil {
		return f.PlaceOf(portable.KindReport, ref, "")
	}
	return a.def.Get("sqlQuery").Inside(line, column)
}

// find returns the folder's asset of that ref, nil for none.
func (f *Folder) find(kind portable.AssetKind, ref string) *asset {
	for _, a := range f.assets {
		if a.kind == kind && a.ref == ref {
			return a
		}
	}
	return nil
}
