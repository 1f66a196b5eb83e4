//go:build unix

package attack

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// attacker attacks one site.
type attacker struct {
	*site
	ledger
	whole  bool // all variants, and those that take minutes
	heldUp bool // a run of the server is held for ever
}

// TestAttack tries everything, and fails if anything fell. scripts/attack has it try all variants, and prints the table of them.
func TestAttack(t *testing.T) {
	whole := os.Getenv("MOORING_ATTACK") == "whole"
	a := &attacker{site: newSite(t), whole: whole}
	chosen := os.Getenv("MOORING_ATTACK_ONLY")
	for _, kind := range []struct {
		name   string
		attack func(*attacker)
	}{
		{"rights", (*attacker).attackRights},
		{"claims", (*attacker).claimCells},
		{"takeovers", (*attacker).takePlacements},
		{"freezes", (*attacker).freezeBlocks},
		{"exchanges", (*attacker).exchangePlacements},
		{"plans", (*attacker).planChanges},
		{"errors", (*attacker).quoteRows},
		{"values", (*attacker).tellValues},
		{"code", (*attacker).attackCommands},
		{"costs", (*attacker).attackCosts},
		{"hold", (*attacker).keepDocument},
		{"files", (*attacker).swapFiles}, // which ends the server
	} {
		if chosen == "" || strings.Contains(","+chosen+",", ","+kind.name+",") {
			kind.attack(a)
		}
	}
	a.searchLogs()
	var table strings.Builder
	tries, fell := a.print(&table)
	if whole {
		fmt.Print(table.String())
		table.Reset()
	}
	if fell > 0 {
		t.Errorf("%d of %d fell\n%s", fell, tries, &table)
	}
}

// searchLogs looks for secrets in what nobody in particular is meant to read values in.
func (a *attacker) searchLogs() {
	a.tries(5, "values in the log", a.leaks("", a.server.log.String()))
	a.tries(5, "values in webhooks", a.leaks("", a.hooks.String()))
}
