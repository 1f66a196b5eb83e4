package source

import (
	"regexp"
	"slices"
	"strings"
)

// Names is how a database has names in its queries. The zero value has all of them in no quotes.
type Names struct {
	Quote    string   // stands around a name that is not taken as it is, twice within it
	Reserved []string // words that cannot be names, in small letters
	Folds    bool     // a name without quotes loses its capitals
}

// plain is a name that databases take unquoted.
var plain = regexp.MustCompile(`^[a-z_][a-z0-9_]*$`)

// Identifier returns a name as queries have it: in quotes, unless the database takes it as it is.
func (n Names) Identifier(name string) string {
	small := strings.ToLower(name)
	if plain.MatchString(small) && !slices.Contains(n.Reserved, small) && (small == name || !n.Folds) {
		return name
	}
	return n.Quote + strings.ReplaceAll(name, n.Quote, n.Quote+n.Quote) + n.Quote
}

// Identifier returns a name as the SQL standard has it, and PostgreSQL and SQLite.
func Identifier(name string) string {
	return Names{Quote: `"`, Reserved: reserved, Folds: true}.Identifier(name)
}

// reserved are the words that cannot be names in PostgreSQL or SQLite.
var reserved = strings.Fields(`add all alter analyse analyze and any array as asc asymmetric authorization between binary both case cast check
	collate collation column commit concurrently constraint create cross current_catalog current_date current_role current_schema current_time
	current_timestamp current_user default deferrable delete desc distinct do drop else end escape except exists false fetch for foreign freeze
	from full grant group having ilike in index initially inner insert intersect into is isnull join lateral leading left like limit localtime
	localtimestamp natural not nothing notnull null offset on only or order outer overlaps placing primary references returning right select
	session_user set similar some symmetric system_user table tablesample then to trailing transaction true union unique update user using
	values variadic verbose when where window with`)
