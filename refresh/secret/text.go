package secret

// Text is a string that logs, errors and dumps of the configuration show as ***. Its value is string(t).
type Text string

func (t Text) String() string {
	if t == "" {
		return ""
	}
	return "***"
}

// GoString keeps %#v from showing what String hides.
func (t Text) GoString() string { return t.String() }

// MarshalText does the same for YAML and JSON.
func (t Text) MarshalText() ([]byte, error) { return []byte(t.String()), nil }
