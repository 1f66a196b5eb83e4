package record

import (
	"strconv"

	"mooring/checksum"
	"mooring/placements"
)

// AppendPlacement appends the JSON of p exactly as Encode does, at a fraction of the cost: every connect writes one.
func AppendPlacement(b []byte, p *placements.Placement) []byte {
	b = AppendText(append(b, `{"id":`...), p.ID)
	b = AppendText(append(b, `,"workbookId":`...), p.WorkbookID)
	b = AppendMember(b, `,"workbookName":`, p.WorkbookName)
	b = AppendText(append(b, `,"host":`...), string(p.Host))
	b = AppendMember(b, `,"spreadsheets":`, p.Spreadsheets)
	b = AppendMember(b, `,"sheetId":`, p.SheetID)
	b = AppendText(append(b, `,"sheetName":`...), p.SheetName)
	b = AppendText(append(b, `,"anchorCell":`...), p.AnchorCell)
	b = AppendMember(b, `,"endResultCell":`, p.EndResultCell)
	b = AppendText(append(b, `,"resultLocation":`...), p.ResultLocation)
	if p.ResultChecksum != nil {
		b = appendChecksum(append(b, `,"resultChecksum":`...), p.ResultChecksum)
	}
	b = AppendMember(b, `,"queryChecksum":`, p.QueryChecksum)
	b = AppendMember(b, `,"placedAt":`, p.PlacedAt)
	b = AppendMember(b, `,"refreshedAt":`, p.RefreshedAt)
	b = AppendMember(b, `,"asOf":`, p.AsOf)
	b = appendUser(b, `,"placedByUserId":`, p.PlacedByUserID)
	b = appendUser(b, `,"refreshedByUserId":`, p.RefreshedByUserID)
	if p.RunAs != nil {
		b = appendRunAs(append(b, `,"runAs":`...), p.RunAs)
	}
	if p.Edits != nil {
		b = appendSummary(append(b, `,"edits":`...), p.Edits)
	}
	b = AppendMember(b, `,"restoredAt":`, p.RestoredAt)
	if p.ManagedBy != nil {
		by, _ := Encode(p.ManagedBy) // texts and numbers always encode
		b = append(append(b, `,"managedBy":`...), by...)
	}
	b = AppendMember(b, `,"statusCell":`, p.StatusCell)
	b = AppendMember(b, `,"fillRight":`, p.FillRight)
	if len(p.Parameters) > 0 {
		said, _ := Encode(p.Parameters) // texts, numbers and truth values always encode
		b = append(append(b, `,"parameters":`...), said...)
	}
	b = appendOptions(b, p.Options)
	return append(b, '}')
}

// appendOptions appends the members of the options that are said. Few placements have any.
func appendOptions(b []byte, o placements.Options) []byte {
	if o == (placements.Options{}) {
		return b
	}
	said, _ := Encode(o) // texts and truth values always encode
	return append(append(b, ','), said[1:len(said)-1]...)
}

func appendRunAs(b []byte, as *placements.RunAs) []byte {
	b = strconv.AppendInt(append(b, `{"uid":`...), as.UID, 10)
	b = AppendMember(b, `,"email":`, as.Email)
	for i, role := range as.Roles {
		if i == 0 {
			b = append(b, `,"roles":[`...)
		} else {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, role, 10)
	}
	if len(as.Roles) > 0 {
		b = append(b, ']')
	}
	return append(b, '}')
}

func appendSummary(b []byte, e *placements.EditSummary) []byte {
	b = strconv.AppendInt(append(b, `{"rows":`...), int64(e.Rows), 10)
	b = strconv.AppendInt(append(b, `,"cells":`...), int64(e.Cells), 10)
	return append(AppendText(append(b, `,"since":`...), e.Since), '}')
}

func appendChecksum(b []byte, r *checksum.ResultChecksum) []byte {
	b = strconv.AppendInt(append(b, `{"v":`...), int64(r.V), 10)
	if r.Chunks == nil {
		return append(b, `,"chunks":null}`...)
	}
	b = append(b, `,"chunks":[`...)
	for i, c := range r.Chunks {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(append(b, `{"from":`...), int64(c.From), 10)
		b = strconv.AppendInt(append(b, `,"to":`...), int64(c.To), 10)
		b = append(AppendText(append(b, `,"hash":`...), c.Hash), '}')
	}
	return append(b, "]}"...)
}

// AppendMember appends a member, or nothing for an empty text.
func AppendMember(b []byte, name, value string) []byte {
	if value == "" {
		return b
	}
	return AppendText(append(b, name...), value)
}

func appendUser(b []byte, name string, id int64) []byte {
	if id == 0 {
		return b
	}
	return strconv.AppendInt(append(b, name...), id, 10)
}

// AppendText appends a text in quotes.
func AppendText(b []byte, s string) []byte {
	for i := range len(s) {
		if s[i] < ' ' || s[i] == '"' || s[i] == '\\' || s[i] >= 0x7f {
			escaped, _ := Encode(s) // a text always encodes
			return append(b, escaped...)
		}
	}
	return append(append(append(b, '"'), s...), '"')
}
