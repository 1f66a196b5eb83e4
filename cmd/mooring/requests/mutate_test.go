//go:build unix

package requests

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// odd are texts that programs stumble over. Each is JSON.
var odd = []string{
	`null`, `true`, `false`, `0`, `-1`, `1`, `1.5`, `-0`, `1e3`, `2147483648`, `4294967296`, `9007199254740993`, `9223372036854775807`, `9223372036854775808`,
	`-9223372036854775809`, `1e308`, `1e400`, `-1e400`, `0.1e-400`, `123456789012345678901234567890`,
	`""`, `" "`, `"0"`, `"1"`, `"-1"`, `"null"`, `"true"`, `"\u0000"`, `"a\u0000b"`, `"\ud800"`, `"\udc00\ud800"`, `"\ufeff"`, `"\u202e\u202d"`, `"🦀🇩🇪👨‍👩‍👧"`,
	`"e\u0301"`, `"ﷺ"`, `"\n\r\t"`, `"\u007f\u0080"`, `"../../etc/passwd"`, `"C:\\CON"`, `"=1+1"`, `"'; DROP TABLE orders; --"`, `"{{7*7}}"`, `"%s%n%d"`,
	`"<script>alert(1)</script>"`, `"http://[::1"`, `"*"`, `"?"`, `"A1:XFD1048576"`, `"XFE1048577"`, `"Sheet1!A0"`, `"'It''s'!A1"`, `"99999999999999999999"`,
	`"2026-02-30T25:61:61Z"`, `"+292277026596-12-04T15:30:07Z"`, `"0000-01-01T00:00:00Z"`, `"@every 1ns"`, `"* * * * * * *"`, `"TZ=UTC"`, `"0 0 31 2 *"`, `"All"`, `"SHEETS_C"`,
	`[]`, `{}`, `[null]`, `[[]]`, `[{}]`, `{"":null}`, `{"a":{"a":{"a":1}}}`, `[1,"a",null,{}]`, `{"id":1}`, `{"__proto__":{}}`, `["a","a"]`,
}

// oddValue is one of odd, or something large.
func (m maker) oddValue() json.RawMessage {
	switch m.IntN(40) {
	case 0:
		return json.RawMessage(`"` + strings.Repeat("x", pick(m, 256, 1001, 5000, 70_000)) + `"`)
	case 1:
		return json.RawMessage(`"` + strings.Repeat("é", pick(m, 128, 256, 1001)) + `"`)
	case 2:
		depth := pick(m, 30, 63, 64, 65, 200, 5000)
		return json.RawMessage(strings.Repeat("[", depth) + strings.Repeat("]", depth))
	case 3:
		depth := pick(m, 30, 63, 64, 65, 200)
		return json.RawMessage(strings.Repeat(`{"a":`, depth) + "1" + strings.Repeat("}", depth))
	case 4:
		return json.RawMessage("[" + strings.TrimSuffix(strings.Repeat(pick(m, "1,", "null,", `"a",`, "{},"), pick(m, 25, 101, 1001, 10_001)), ",") + "]")
	case 5:
		return json.RawMessage(strings.Repeat("9", pick(m, 20, 400, 2000)))
	}
	return json.RawMessage(odd[m.IntN(len(odd))])
}

// mutated is a value with one thing of it changed.
func (m maker) mutated(value any) any {
	switch v := value.(type) {
	case map[string]any:
		return m.mutatedObject(v)
	case []any:
		return m.mutatedList(v)
	}
	return m.oddValue()
}

func (m maker) mutatedObject(object map[string]any) any {
	keys := sortedKeys(object)
	if len(keys) == 0 || m.chance(3) {
		if m.chance(50) {
			return m.oddValue()
		}
		object[pick(m, "id", "unknown", "", "\x00", "name", "Name", "meta")] = m.oddValue()
		return object
	}
	key := keys[m.IntN(len(keys))]
	switch m.IntN(12) {
	case 0:
		delete(object, key)
	case 1:
		object[pick(m, "unknown", "ID", strings.ToUpper(key), key+" ", "🦀")] = object[key]
	case 2, 3, 4:
		object[key] = m.oddValue()
	case 5:
		object[key] = nil
	case 6:
		other := keys[m.IntN(len(keys))]
		object[key], object[other] = object[other], object[key]
	case 7:
		object[key] = []any{object[key]}
	default:
		object[key] = m.mutated(object[key])
	}
	return object
}

func (m maker) mutatedList(list []any) any {
	if len(list) == 0 || m.chance(5) {
		return append(list, m.oddValue())
	}
	i := m.IntN(len(list))
	switch m.IntN(6) {
	case 0:
		return append(list[:i:i], list[i+1:]...)
	case 1:
		return append(list, list[i])
	case 2:
		list[i] = m.oddValue()
	default:
		list[i] = m.mutated(list[i])
	}
	return list
}

// damaged is the text of a body with something wrong in it.
func (m maker) damaged(body []byte) []byte {
	body = bytes.Clone(body)
	at := m.IntN(len(body) + 1)
	insert := func(text string) []byte { return append(append(bytes.Clone(body[:at]), text...), body[at:]...) }
	switch m.IntN(12) {
	case 0:
		return body[:at]
	case 1:
		return insert(pick(m, "\x00", "\xff", "\xc3\x28", "\xed\xa0\x80", "\ufeff", "NaN", "Infinity", "//", "/* */", ",", "}", "]", "\"", "\\u12", "'"))
	case 2:
		return append(body, pick(m, "{}", " ", "x", "\x00", "\n\n", ",", "null")...)
	case 3:
		return append([]byte(pick(m, "\ufeff", " \t\r\n", "x", ")]}',\n", "[", "\x1f\x8b")), body...)
	case 4:
		return nil
	case 5:
		if len(body) > 0 && at < len(body) {
			body[at] ^= 1 << m.IntN(8)
		}
	case 6: // the first member twice
		if end := bytes.IndexByte(body, ','); bytes.HasPrefix(body, []byte("{")) && end > 0 {
			return fmt.Appendf(nil, "{%s,%s", body[1:end], body[1:])
		}
	case 7:
		var wide []byte // UTF-16
		for _, b := range body {
			wide = append(wide, b, 0)
		}
		return wide
	case 8:
		return bytes.ReplaceAll(body, []byte(`"`), []byte(`'`))
	case 9:
		return append(bytes.Repeat([]byte(" "), pick(m, 1000, 100_000)), body...)
	case 10:
		return bytes.ToUpper(body)
	case 11:
		return []byte(odd[m.IntN(len(odd))])
	}
	return body
}
