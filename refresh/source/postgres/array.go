package postgres

import (
	"encoding/json"
	"strings"

	"github.com/jackc/pgx/v5/pgtype"

	"mooring/checksum"
)

// arrayCell appends PostgreSQL's text form of an array as JSON: {1,NULL,"a b"} becomes [1,null,"a b"].
func arrayCell(element uint32) textCell {
	bare := false
	switch element {
	case pgtype.Int2OID, pgtype.Int4OID, pgtype.Int8OID, pgtype.NumericOID, pgtype.Float4OID, pgtype.Float8OID, pgtype.BoolOID:
		bare = true
	}
	return func(b *checksum.Builder, value []byte) {
		s := string(value)
		if s != "" && s[0] == '[' { // bounds other than 1: [0:1]={1,2}
			_, s, _ = strings.Cut(s, "=")
		}
		dst, rest, ok := appendArray(nil, s, bare)
		if !ok || rest != "" {
			b.TextBytes(value)
			return
		}
		b.JSON(dst)
	}
}

// appendArray appends the array at the front of s and returns what follows it. Elements are JSON themselves when bare.
func appendArray(dst []byte, s string, bare bool) (_ []byte, rest string, ok bool) {
	if s == "" || s[0] != '{' {
		return dst, s, false
	}
	dst, s = append(dst, '['), s[1:]
	for first := true; s != "" && s[0] != '}'; first = false {
		if !first {
			if s[0] != ',' {
				return dst, s, false
			}
			dst, s = append(dst, ','), s[1:]
		}
		if dst, s, ok = appendElement(dst, s, bare); !ok {
			return dst, s, false
		}
	}
	if s == "" {
		return dst, s, false
	}
	return append(dst, ']'), s[1:], true
}

func appendElement(dst []byte, s string, bare bool) (_ []byte, rest string, ok bool) {
	switch {
	case strings.HasPrefix(s, "{"):
		return appendArray(dst, s, bare)
	case strings.HasPrefix(s, `"`):
		text, rest, ok := unquoteElement(s[1:])
		return appendString(dst, text), rest, ok
	}
	end := strings.IndexAny(s, ",}")
	if end < 0 {
		return dst, s, false
	}
	switch text := s[:end]; {
	case text == "NULL":
		dst = append(dst, "null"...)
	case bare && text == "t":
		dst = append(dst, "true"...)
	case bare && text == "f":
		dst = append(dst, "false"...)
	case bare && json.Valid([]byte(text)):
		dst = append(dst, text...)
	default:
		dst = appendString(dst, text)
	}
	return dst, s[end:], true
}

// unquoteElement reads up to the closing quote; a backslash takes the next character as it is.
func unquoteElement(s string) (text, rest string, ok bool) {
	var t strings.Builder
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '"':
			return t.String(), s[i+1:], true
		case '\\':
			if i++; i == len(s) {
				return "", "", false
			}
		}
		t.WriteByte(s[i])
	}
	return "", "", false
}

func appendString(dst []byte, s string) []byte {
	quoted, err := json.Marshal(s)
	if err != nil { // a string always encodes
		return append(dst, "null"...)
	}
	return append(dst, quoted...)
}
