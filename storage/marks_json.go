package storage

import "strconv"

// AppendMarks appends the members of r's marks, each after a comma, exactly as their JSON has them: every connect answers with them.
func (r *Report) AppendMarks(b []byte) []byte {
	if r.marks == nil {
		return appendEcho(appendRefreshed(b, &r.Marks), &r.Echo)
	}
	for _, object := range r.marks {
		if len(object) > len("{}") {
			b = append(append(b, ','), object[1:len(object)-1]...)
		}
	}
	return b
}

// refreshedJSON is what the field holds that keeps m but for its Echo.
func refreshedJSON(m *Marks) string { return asObject(appendRefreshed(make([]byte, 0, 256), m)) }

func appendRefreshed(b []byte, m *Marks) []byte {
	b = appendMember(b, `,"refreshedAt":`, m.RefreshedAt)
	b = appendUser(b, `,"refreshedBy":`, m.RefreshedBy)
	if u := m.RefreshedByUser; u != nil {
		b = strconv.AppendInt(append(b, `,"refreshedByUser":{"id":`...), u.ID, 10)
		b = appendMember(b, `,"email":`, u.Email)
		b = appendMember(b, `,"firstName":`, u.FirstName)
		b = append(appendMember(b, `,"picture":`, u.Picture), '}')
	}
	return b
}

func appendEcho(b []byte, e *Echo) []byte {
	b = appendMember(b, `,"externalWorkbookId":`, e.ExternalWorkbookID)
	b = appendMember(b, `,"resultLocation":`, e.ResultLocation)
	b = appendMember(b, `,"endResultCell":`, e.EndResultCell)
	return appendMember(b, `,"host":`, string(e.Host))
}

// asObject makes a JSON object of members that each come after a comma.
func asObject(members []byte) string {
	if len(members) == 0 {
		return "{}"
	}
	members[0] = '{'
	return string(append(members, '}'))
}
