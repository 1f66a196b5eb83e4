package plans

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"mooring/placements"
	"mooring/storage/record"
	"mooring/storage/record/portable"
	"mooring/web/members"
	"mooring/web/request"
)

// managed answers with what a project manages, in the form that a bundle has, and with what no project does as far as adopt names it.
func (a *API) managed(ctx context.Context, c *request.Call) (any, error) {
	first, err := c.First()
	if err != nil {
		return nil, err
	}
	project := c.Query("project")
	if !portable.IsProject(project) {
		return nil, placements.Errorf(placements.CodeParameter,
			"project is required: send the name of a project, 1 to 64 of a-z, 0-9, dot, underscore and hyphen.")
	}
	list, err := a.Store.Plans().Managed(ctx, c.At, project, c.Caller.Actor)
	if err != nil {
		return nil, err
	}
	if adopt := c.QueryAll("adopt"); len(adopt) > 0 {
		others, err := a.Store.Plans().Unmanaged(ctx, c.At, c.Caller.Actor)
		if err != nil {
			return nil, err
		}
		if err := unadoptable(adopt, slices.Concat(list, others)); err != nil {
			return nil, err
		}
		list = append(list, slices.DeleteFunc(others, func(a portable.ManagedAsset) bool { return !adopted(adopt, a) })...)
	}
	p, err := pageOf(list, first, c.Query("after"))
	if err != nil {
		return nil, err
	}
	return request.EncodedPage(p.Items, p.HasNextPage, p.EndCursor, func(a portable.ManagedAsset) ([]byte, error) { return record.EncodeBytes(a) })
}

// adopted reports whether one of the names is that of an asset: all, report:RevByRegion1, report:#17 or schedule:#17.
func adopted(names []string, a portable.ManagedAsset) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		return name == "all" || name == string(a.Kind)+":"+a.Ref || numbered(a.Kind) && name == fmt.Sprintf("%s:#%v", a.Kind, a.ID)
	})
}

// numbered reports whether assets of a kind are named by their numbers, too.
func numbered(kind portable.AssetKind) bool {
	return kind == portable.KindReport || kind == portable.KindSchedule
}

// unadoptable refuses names that are of none of the assets.
func unadoptable(names []string, assets []portable.ManagedAsset) error {
	var strange []string
	for _, name := range names {
		if name != "all" && !slices.ContainsFunc(assets, func(a portable.ManagedAsset) bool { return adopted([]string{name}, a) }) {
			strange = append(strange, name)
		}
	}
	if len(strange) == 0 {
		return nil
	}
	return placements.Errorf(placements.CodeParameter,
		"adopt names %s, and this deployment has no such asset that this token may read and that no other project manages: name another one.",
		strings.Join(strange, ", "))
}

// pageOf is the page of the list after a cursor, which is the place of the last asset before it.
func pageOf(list []portable.ManagedAsset, first int, after string) (p record.Page[portable.ManagedAsset], err error) {
	from, err := base64.RawURLEncoding.DecodeString(after)
	if err != nil {
		return p, placements.Errorf(placements.CodeCursor, "The cursor is not one of this list: send the endCursor of the page before.")
	}
	slices.SortStableFunc(list, func(a, b portable.ManagedAsset) int { return cmp.Compare(placeOf(a), placeOf(b)) })
	list = slices.DeleteFunc(list, func(a portable.ManagedAsset) bool { return placeOf(a) <= string(from) })
	p.Items = list[:min(first, len(list))]
	p.HasNextPage = len(p.Items) < len(list)
	if n := len(p.Items); n > 0 {
		p.EndCursor = base64.RawURLEncoding.EncodeToString([]byte(placeOf(p.Items[n-1])))
	}
	return p, nil
}

// placeOf orders assets as they refer to each other: reports first.
func placeOf(a portable.ManagedAsset) string {
	return fmt.Sprintf("%d %s %v", slices.Index(members.Kinds, a.Kind), a.Ref, a.ID)
}
