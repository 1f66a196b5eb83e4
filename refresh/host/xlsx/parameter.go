package xlsx

import (
	"context"

	"mooring/checksum"
	"mooring/refresh/host"
	"mooring/refresh/host/xlsx/part"
	"mooring/refresh/host/xlsx/sheet"
)

var _ host.ParameterReader = (*session)(nil)

// ReadParameters is host.ParameterReader's. Each sheet that has such cells takes one pass of its own: merged cells stand at a sheet's end.
func (s *session) ReadParameters(ctx context.Context, wanted []host.Wanted, cells []host.ParameterCells) ([]host.Found, []host.FoundParameter, error) {
	found, err := s.Read(ctx, wanted)
	if err != nil {
		return nil, nil, err
	}
	s.moved = nil
	list := make([]host.FoundParameter, len(cells))
	passes := map[part.Sheet]*parameterPass{}
	for i, c := range cells {
		list[i] = s.wb.LocateParameter(c)
		if at := list[i].At; list[i].Err == nil {
			in, _ := s.wb.Find(at.Sheet)
			if passes[in] == nil {
				passes[in] = &parameterPass{}
			}
			passes[in].add(sheet.NewMeaningArea(covering(at.Anchor, checksum.Extent{Rows: at.Rows, Columns: at.Columns}, checksum.Extent{})), &list[i])
		}
	}
	if err := s.passParameters(ctx, passes); err != nil {
		return nil, nil, err
	}
	if len(list) > 0 && len(found) == 0 {
		list[0].Calls = 1
	}
	return found, list, nil
}

// parameterPass are the cells of one sheet, and what they are read for.
type parameterPass struct {
	areas []*sheet.MeaningArea
	into  []*host.FoundParameter
}

func (p *parameterPass) add(area *sheet.MeaningArea, into *host.FoundParameter) {
	p.areas, p.into = append(p.areas, area), append(p.into, into)
}

// passParameters reads the cells. Only the end of ctx, and of what all need, is an error of all.
func (s *session) passParameters(ctx context.Context, passes map[part.Sheet]*parameterPass) error {
	if len(passes) == 0 {
		return nil
	}
	dates, err := part.DateStyles(s.p, s.wb)
	if err != nil {
		return err
	}
	shared := part.NewStrings(ctx, s.p, s.wb)
	for in, p := range passes {
		err := s.parts.Parameters(ctx, in, p.areas, shared, dates, s.wb.Date1904)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		for i, found := range p.into {
			if found.Err = err; err == nil {
				found.Cells = p.areas[i].Cells
			}
		}
	}
	return nil
}
