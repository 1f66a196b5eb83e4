package cube

import (
	"fmt"
	"strconv"
	"strings"

	"mooring/placements"
	"mooring/refresh/source"
)

// limitExceeded is what Cube says when it is asked for more rows than its CUBEJS_DB_QUERY_LIMIT.
const limitExceeded = "The query limit has been exceeded"

// beyondLimit is the fault of having asked Cube for more rows than it returns.
func (c *layer) beyondLimit(cause error) *placements.Fault {
	return source.Structure(cause, "Cube was asked for more rows than its CUBEJS_DB_QUERY_LIMIT; set the source's rowLimit, which is %d, "+
		"to that, and ask for no more in the query", c.config.RowLimit)
}

// sqlLimit is what a statement says of how many rows it wants.
type sqlLimit struct {
	rows   int    // 0: none, or no number
	set    bool   // it says something
	reads  bool   // it is a SELECT, to which a limit can be added
	bare   string // the statement without the semicolon at its end and what follows that
	opened int    // parentheses at its end that were not closed
}

// parseSQLLimit finds LIMIT, or FETCH FIRST, outside of parentheses, texts, quoted names and comments.
func parseSQLLimit(statement string) sqlLimit {
	l := sqlLimit{bare: statement}
	first, wants := true, false
	for at := 0; at < len(statement); {
		size := tokenSize(statement[at:])
		token := statement[at : at+size]
		switch {
		case strings.TrimSpace(token) == "", strings.HasPrefix(token, "--"), strings.HasPrefix(token, "/*"):
			at += size
			continue
		case token == "(":
			l.opened++
		case token == ")":
			l.opened--
		case token == ";" && l.opened == 0:
			l.bare = statement[:at]
			return l
		}
		word := strings.ToUpper(token)
		if first {
			l.reads, first = word == "SELECT" || word == "WITH" || word == "(", false
		}
		if l.opened == 0 {
			if n, err := strconv.Atoi(token); wants && err == nil {
				l.rows = n
			}
			wants = wants && (word == "FIRST" || word == "NEXT")
			if word == "LIMIT" || word == "FETCH" {
				l.set, wants = true, true
			}
		}
		at += size
	}
	return l
}

// tokenSize is the length of the word, text, quoted name, comment or other character that a statement begins with.
func tokenSize(s string) int {
	switch {
	case s[0] == '\'' || s[0] == '"' || s[0] == '`':
		return end(s, s[:1], 1) // a doubled quote is two texts side by side, which makes no difference here
	case strings.HasPrefix(s, "--"):
		return end(s, "\n", 2)
	case strings.HasPrefix(s, "/*"):
		return end(s, "*/", 2)
	}
	n := strings.IndexFunc(s, func(r rune) bool { return r < 0x80 && !isWord(byte(r)) })
	switch n {
	case -1:
		return len(s)
	case 0:
		return 1
	}
	return n
}

// isWord reports whether a character is part of a word. A period is: the column t.limit is no limit.
func isWord(c byte) bool {
	return c == '_' || c == '.' || c == '$' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// end is where something ends that begins a statement: behind the first mark from a byte on.
func end(s, mark string, from int) int {
	if at := strings.Index(s[from:], mark); at >= 0 {
		return from + at + len(mark)
	}
	return len(s)
}

// with is the statement with a limit, if it has none and can have one. Cube would else cut the result at its own limit silently.
func (l sqlLimit) with(rows int) string {
	if l.set || !l.reads || l.opened != 0 {
		return l.bare
	}
	return fmt.Sprintf("%s\nLIMIT %d", strings.TrimRight(l.bare, " \t\r\n"), rows)
}
