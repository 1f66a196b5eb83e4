package oidc

import (
	"cmp"
	"encoding/json"
	"slices"

	"mooring/storage/record"
)

// claims are the members of a token.
type claims map[string]json.RawMessage

// text returns a claim that is a text; empty for others.
func (c claims) text(name string) (s string) {
	_ = json.Unmarshal(c[name], &s) // what is no text is as good as none
	return s
}

// texts returns a claim that is a list of texts, or one text.
func (c claims) texts(name string) (list []string) {
	if one := c.text(name); one != "" {
		return []string{one}
	}
	if json.Unmarshal(c[name], &list) != nil {
		return nil
	}
	return list
}

// uid returns a claim that is a user's number; 0 for others, which those are that are allocated to people.
func (c claims) uid(name string) (n int64) {
	if json.Unmarshal(c[name], &n) != nil || n < 1 || n >= record.FirstUser {
		return 0
	}
	return n
}

// subject returns by what a person is told from others: a claim that the configuration names, sub if it names none.
func (c claims) subject(claim string) string { return c.text(cmp.Or(claim, subjectSub)) }

// holds reports whether a claim is true. Some providers write truth as a text or a number.
func (c claims) holds(name string) bool {
	return slices.Contains([]string{"true", `"true"`, "1", `"1"`}, string(c[name]))
}

// email returns the person's email if the provider says that it has seen it to be theirs, or is trusted to have; else none: whoever may write
// their own email there would be taken for others.
func (c claims) email(trusted bool) string {
	if !trusted && !c.holds("email_verified") && !c.holds("xms_edov") {
		return ""
	}
	return c.text("email")
}

// shown returns by what the person knows their account, where its email does not count. It is shown to them alone, and no right comes from it.
func (c claims) shown() string { return cmp.Or(c.text("preferred_username"), c.text("upn")) }

// overage reports whether the person has more groups than a token of Entra ID lists: it then says where to ask for them instead.
func (c claims) overage() bool {
	var elsewhere map[string]json.RawMessage
	_ = json.Unmarshal(c["_claim_names"], &elsewhere) // what is no object names nothing
	return elsewhere[fromGroups] != nil || c.holds("hasgroups")
}
