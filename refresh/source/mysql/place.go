package mysql

import (
	"errors"
	"regexp"
	"strconv"
	"strings"

	"github.com/go-sql-driver/mysql"

	"mooring/refresh/source"
	"mooring/refresh/source/named"
)

// nearText is what servers say of a syntax error: the text from there on, of which they show some, and the line.
var nearText = regexp.MustCompile(`(?s) near '(.*)' at line (\d+)$`)

// maxNear is how much of the text they show. MariaDB puts dots for the rest.
const maxNear = 80

// unknown is what servers say of a name that they do not know, or that is not the only one.
var unknown = regexp.MustCompile("^(?:Unknown column|Unknown table|Column|Table|FUNCTION|PROCEDURE) [`']?([^`' ]+)")

// located says where in the query the fault of its text lies, if the server says so, or names what is at fault.
func located(fault error, s *named.Statement) error {
	e, ok := errors.AsType[*mysql.MySQLError](fault)
	if !ok {
		return fault
	}
	if near := nearText.FindStringSubmatch(e.Message); near != nil {
		line, _ := strconv.Atoi(near[2])
		return nearest(fault, s, near[1], line)
	}
	if name := unknown.FindStringSubmatch(e.Message); name != nil {
		return s.AtByte(fault, firstNamed(s.SQL, name[1][strings.LastIndexByte(name[1], '.')+1:]))
	}
	return fault
}

// nearest finds the place of a syntax error by what the server shows of the text from there on.
func nearest(fault error, s *named.Statement, near string, line int) error {
	sql := s.SQL
	if len(near) < maxNear {
		if strings.HasSuffix(sql, near) {
			return s.AtByte(fault, len(sql)-len(near))
		}
		return &source.PositionError{Line: line, Column: 1, Fault: fault}
	}
	near = strings.TrimSuffix(near, "...")
	for at := range sql {
		if strings.HasPrefix(sql[at:], near) && 1+strings.Count(sql[:at], "\n") == line {
			return s.AtByte(fault, at)
		}
	}
	return &source.PositionError{Line: line, Column: 1, Fault: fault}
}

// firstNamed is where a name stands first in a statement, -1 for nowhere.
func firstNamed(sql, name string) int {
	for t := range named.MySQL.Tokens(sql) {
		text := sql[t.Begin:t.End]
		if t.Kind == named.Quoted && text[0] == '`' {
			text = strings.Trim(text, "`")
		}
		if (t.Kind == named.Word || t.Kind == named.Quoted) && strings.EqualFold(text, name) {
			return t.Begin
		}
	}
	return -1
}
