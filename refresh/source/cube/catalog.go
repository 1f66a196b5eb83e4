package cube

import (
	"cmp"
	"context"
	"slices"

	"mooring/refresh/source"
)

var _ source.Catalog = (*layer)(nil)

// Catalog lists the data model as the token sees it, without what is not public: first its views, then its cubes.
func (c *layer) Catalog(ctx context.Context, _ source.User) ([]source.Dataset, error) {
	var model dataModel
	_, err := c.within(ctx, func(ctx context.Context) (_ []source.Column, err error) {
		model, err = c.readModel(ctx)
		return nil, err
	})
	if err != nil {
		return nil, err
	}
	var list []source.Dataset
	for _, one := range model.Cubes {
		if d := one.dataset(); one.shown() && len(d.Members) > 0 {
			list = append(list, d)
		}
	}
	slices.SortStableFunc(list, func(a, b source.Dataset) int { return -cmp.Compare(a.Kind, b.Kind) }) // view, cube
	return list[:min(len(list), source.MaxDatasets)], nil
}

// dataset is the cube with its public members: dimensions, measures, segments.
func (m modelCube) dataset() source.Dataset {
	d := source.Dataset{
		Name: m.Name, Kind: source.KindCube, Title: m.Title, Description: m.Description, Insert: source.Identifier(m.Name),
	}
	if m.Type == "view" {
		d.Kind = source.KindView
	}
	for _, kind := range []struct {
		role    source.FieldRole
		members []modelMember
	}{{source.RoleDimension, m.Dimensions}, {source.RoleMeasure, m.Measures}, {source.RoleSegment, m.Segments}} {
		for _, member := range kind.members {
			if member.shown() {
				d.Members = append(d.Members, member.field(kind.role))
			}
		}
	}
	return d
}

// field is a member. A query of either kind names it as it is called.
func (m modelMember) field(role source.FieldRole) source.Field {
	f := source.Field{Name: m.Name, Title: m.Title, Description: m.Description, Insert: m.Name, Type: fieldType(m.Type), Role: role}
	if role == source.RoleSegment {
		f.Type = source.TypeBoolean
	}
	return f
}

// fieldType is a type of Cube's: its times are moments, whatever granularity is asked for.
func fieldType(kind string) source.FieldType {
	switch kind {
	case "string":
		return source.TypeText
	case "number":
		return source.TypeNumber
	case "boolean":
		return source.TypeBoolean
	case "time":
		return source.TypeDateTime
	}
	return source.TypeOther
}
