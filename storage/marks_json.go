package storage

import "strconv"

// AppendJSON appends the members of m, each after a comma, exactly as its JSON has them: every connect answers with them.
func (m *Marks) AppendJSON(b []byte) []byte { return appendLocated(appendRefreshed(b, m), m) }

// refreshedJSON and locatedJSON are what the two fields hold that keep m.
func refreshedJSON(m *Marks) string { return asObject(appendRefreshed(make([]byte, 0, 256), m)) }
func locatedJSON(m *Marks) string   { return asObject(appendLocated(make([]byte, 0, 256), m)) }

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

func appendLocated(b []byte, m *Marks) []byte {
	b = appendMember(b, `,"externalWorkbookId":`, m.ExternalWorkbookID)
	b = appendMember(b, `,"resultLocation":`, m.ResultLocation)
	return appendMember(b, `,"endResultCell":`, m.EndResultCell)
}

// asObject makes a JSON object of members that each come after a comma.
func asObject(members []byte) string {
	if len(members) == 0 {
		return "{}"
	}
	members[0] = '{'
	return string(append(members, '}'))
}
