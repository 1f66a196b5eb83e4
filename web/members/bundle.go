package members

import (
	"fmt"
	"slices"
	"strings"

	"mooring/placements"
	"mooring/storage/record/portable"
	"mooring/web/bind"
)

// PlanBody is the body of a plan's creation.
type PlanBody struct {
	portable.Bundle
	assets  []*asset // nil: one that is no object
	count   int      // of assets
	surplus asset    // takes what comes after the most assets that a bundle may have
}

// maxRef bounds the names of assets: a document's id, a sheet and a cell.
const maxRef = 2_000

// Members names what a bundle has.
func (b *PlanBody) Members(o *bind.Object) {
	o.Required("project", "assets")
	bind.Text(o, "project", &b.Project, MaxName)
	bind.Text(o, "environment", &b.Environment, MaxName)
	bind.Objects(o, "assets", &b.assets, 0, b.asset)
	bind.Pointer(o, "prune", &b.Prune, prune)
	o.Flag("detach", &b.Detach)
	o.Flag("preview", &b.Preview)
	o.List("takeOver", &b.TakeOver, 0, portable.MaxBundleAssets, maxRef)
	o.List("adopt", &b.Adopt, 0, portable.MaxBundleAssets, maxRef)
}

func (b *PlanBody) asset(o *bind.Object, in **asset) {
	if *in == nil {
		if b.count++; b.count > portable.MaxBundleAssets {
			*in = &b.surplus
		} else {
			*in = new(asset)
		}
	}
	(*in).members(o)
}

func prune(o *bind.Object, in *portable.Prune) {
	var number *int64
	var text *string
	o.WholeOrText("limit", &number, &text, 0, MaxName, func(text string) (placements.Code, string) {
		if _, err := portable.ParsePruneLimit(text); err != nil {
			return placements.CodeInvalid, err.Error()
		}
		return "", ""
	})
	switch {
	case number != nil:
		in.Limit = &portable.PruneLimit{Number: int(min(*number, portable.MaxBundleAssets))}
	case text != nil:
		limit, _ := portable.ParsePruneLimit(*text) // which the rule has read
		in.Limit = &limit
	}
}

// asset is one asset of a bundle.
type asset struct {
	kind       portable.AssetKind
	ref        string
	protect    bool
	definition definition
}

func (a *asset) members(o *bind.Object) {
	o.Required("kind", "ref", "definition")
	bind.Choice(o, "kind", &a.kind, Kinds)
	bind.Text(o, "ref", &a.ref, maxRef)
	o.Flag("protect", &a.protect)
	o.Object("definition", a.definition.members)
}

// Declare makes the bundle of what was read, and checks what needs no server. Its faults join f; the error is that it could not be checked,
// or that it is too large.
func (b *PlanBody) Declare(strict bool, f *bind.Faults) error {
	if b.count > portable.MaxBundleAssets {
		return placements.Errorf(placements.CodePlanTooLarge,
			"A plan has at most %d assets, and this bundle has %d: split the project.", portable.MaxBundleAssets, b.count)
	}
	b.Assets = make([]portable.Asset, len(b.assets))
	for i, in := range b.assets {
		at := fmt.Sprintf("/assets/%d/definition", i)
		if in == nil || in.kind == "" { // whose fault is told
			b.Assets[i] = portable.Asset{Ref: at, Definition: portable.Unread{}}
			continue
		}
		wrong, err := in.definition.faults(in.kind, strict)
		if err != nil {
			return err
		}
		for _, one := range wrong {
			f.Join(placements.Detail{Pointer: at + one.Pointer, Code: one.Code, Message: one.Message})
		}
		b.Assets[i] = portable.Asset{Ref: in.ref, Protect: in.protect, Definition: in.definition.declaration(in.kind)}
	}
	err := b.Check()
	if f.Join(placements.DetailsOf(err)...); len(*f) > 0 {
		return nil
	}
	return err
}

// Doubtful returns the codes of faults of the server that may be wrong beside f: what is named may be an asset whose own name could not be read.
func (b *PlanBody) Doubtful(f bind.Faults) (codes []placements.Code) {
	for i := range b.Assets {
		at := fmt.Sprintf("/assets/%d", i)
		faulty := func(member string) bool {
			return slices.ContainsFunc(f, func(d placements.Detail) bool { return strings.HasPrefix(d.Pointer+"/", at+member+"/") })
		}
		switch b.Assets[i].Definition.(type) {
		case portable.Unread:
			return []placements.Code{placements.CodeNoReport, placements.CodeAddress}
		case *portable.ReportDeclaration:
			if faulty("/ref") {
				codes = append(codes, placements.CodeNoReport)
			}
		case *portable.PlacementDeclaration:
			if faulty("") {
				codes = append(codes, placements.CodeAddress)
			}
		}
	}
	return codes
}
