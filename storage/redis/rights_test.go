package redis

import (
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	scriptCall = regexp.MustCompile(`redis\.call\('([A-Z]+)'`)
	txnCommand = regexp.MustCompile(`\.(?:Then|Read)\("([A-Z]+)"`)
	txnIf      = regexp.MustCompile(`\.If\([^,\n]+, "([A-Z]+)"`)
)

// The rights to all commands that scripts run are looked at.
func TestNeededCommandsAreThoseOfTheScripts(t *testing.T) {
	apart := []string{"TIME", "KEYS", "XGROUP", "XINFO"} // of no key, of the embedded server only, or with the key elsewhere
	needed := neededCommands()
	storage := os.DirFS("..")
	err := fs.WalkDir(storage, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "storagetest") {
			return err
		}
		if !strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, ".lua") {
			return nil
		}
		text, err := fs.ReadFile(storage, name)
		if err != nil {
			return err
		}
		for _, form := range []*regexp.Regexp{scriptCall, txnCommand, txnIf} {
			for _, found := range form.FindAllSubmatch(text, -1) {
				if command := string(found[1]); !slices.Contains(apart, command) && !slices.Contains(needed, any(command)) {
					t.Errorf("%s runs %s, whose right is not looked at", name, command)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
