package storage_test

import (
	"testing"

	"mooring/storage"
)

func TestInvalidSaysWhatIsWrong(t *testing.T) {
	i := &storage.Invalid{Message: "the report is not valid", Faults: []storage.Fault{{Pointer: "/name", Message: "is too long"}}}
	if got, want := i.Error(), "the report is not valid: /name is too long"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
