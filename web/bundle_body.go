package web

import (
	"bytes"
	"fmt"
	"io"

	"github.com/gin-gonic/gin"

	"mooring/placements"
	"mooring/storage/record"
	"mooring/web/bind"
)

// bundleInput is the body of a plan's creation.
type bundleInput struct {
	record.Bundle
	assets  []*assetInput // nil: one that is no object
	count   int           // of assets
	surplus assetInput    // takes what comes after the most assets that a bundle may have
}

// maxRef bounds the names of assets: a document's id, a sheet and a cell.
const maxRef = 2_000

func (b *bundleInput) members(o *bind.Object) {
	o.Required("project", "assets")
	bind.Text(o, "project", &b.Project, maxName)
	bind.Text(o, "environment", &b.Environment, maxName)
	bind.Objects(o, "assets", &b.assets, 0, b.asset)
	bind.Pointer(o, "prune", &b.Prune, pruneMembers)
	o.Flag("detach", &b.Detach)
	o.List("takeOver", &b.TakeOver, 0, record.MaxBundleAssets, maxRef)
	o.List("adopt", &b.Adopt, 0, record.MaxBundleAssets, maxRef)
}

func (b *bundleInput) asset(o *bind.Object, in **assetInput) {
	if *in == nil {
		if b.count++; b.count > record.MaxBundleAssets {
			*in = &b.surplus
		} else {
			*in = new(assetInput)
		}
	}
	(*in).members(o)
}

func pruneMembers(o *bind.Object, in *record.Prune) {
	var number *int64
	var text *string
	o.WholeOrText("limit", &number, &text, 0, maxName, func(text string) (placements.Code, string) {
		if _, err := record.ParsePruneLimit(text); err != nil {
			return placements.CodeInvalid, err.Error()
		}
		return "", ""
	})
	switch {
	case number != nil:
		in.Limit = &record.PruneLimit{Number: int(min(*number, record.MaxBundleAssets))}
	case text != nil:
		limit, _ := record.ParsePruneLimit(*text) // which the rule has read
		in.Limit = &limit
	}
}

// assetInput is one asset of a bundle.
type assetInput struct {
	kind       record.Kind
	ref        string
	protect    bool
	definition assetDefinition
}

func (a *assetInput) members(o *bind.Object) {
	o.Required("kind", "ref", "definition")
	bind.Choice(o, "kind", &a.kind, kinds)
	bind.Text(o, "ref", &a.ref, maxRef)
	o.Flag("protect", &a.protect)
	o.Object("definition", a.definition.members)
}

var kinds = []record.Kind{record.KindReport, record.KindWorkbook, record.KindPlacement, record.KindSchedule}

// readBundle fills in with a body that may be as large as a bundle.
func (s *Server) readBundle(c *gin.Context, in *bundleInput) error {
	raw, err := s.readBody(c)
	if placements.CodeOf(err) == placements.CodeTooLarge || len(raw) > record.MaxBundleBytes {
		return placements.Errorf(placements.CodePlanTooLarge, "A bundle has at most %d bytes: split the project.", record.MaxBundleBytes)
	}
	if err != nil {
		return err
	}
	c.Request.Body = io.NopCloser(bytes.NewReader(raw))
	return s.read(c, in)
}

// rules makes the bundle of what was read, and judges what needs nothing but the bundle.
func (b *bundleInput) rules(_ *Server, c *gin.Context, f *bind.Faults) error {
	if b.count > record.MaxBundleAssets {
		return placements.Errorf(placements.CodePlanTooLarge,
			"A plan has at most %d assets, and this bundle has %d: split the project.", record.MaxBundleAssets, b.count)
	}
	b.Assets = make([]record.Asset, len(b.assets))
	for i, in := range b.assets {
		if in == nil || in.kind == "" {
			continue // whose fault is told
		}
		at := fmt.Sprintf("/assets/%d/definition", i)
		wrong, err := in.definition.faults(in.kind, strict(c))
		if err != nil {
			return err
		}
		for _, one := range wrong {
			f.Join(placements.Detail{Pointer: at + one.Pointer, Code: one.Code, Message: one.Message})
		}
		b.Assets[i] = record.Asset{Ref: in.ref, Protect: in.protect, Definition: in.definition.declaration(in.kind)}
	}
	return b.check(f)
}

// check adds what is wrong with the bundle as a whole, if all of its assets could be read.
func (b *bundleInput) check(f *bind.Faults) error {
	for i := range b.Assets {
		if b.Assets[i].Definition == nil {
			return nil
		}
	}
	err := b.Check()
	if f.Join(placements.DetailsOf(err)...); len(*f) > 0 {
		return nil
	}
	return err
}
