package standing

import (
	"embed"
	"fmt"
	"strconv"
	"time"

	"mooring/placements"
	"mooring/storage/keys"
	"mooring/storage/record"
	"mooring/storage/redis"
)

// A script begins with its keys and arguments by name; the part standing defines functions only.
//
//go:embed lua/*.lua
var luaFiles embed.FS

func lua(names ...string) string { return redis.JoinLua(luaFiles, names...) }

// Lua returns the part of scripts that defines the functions stand, unstand, standRefreshing and restand.
func Lua() string { return lua("standing") }

// Functions has what Stand, Unstand and Restand call.
func Functions() redis.Functions {
	return redis.Functions{
		Names: []string{"stand", "unstand", "restand"},
		Lua:   Lua() + "functions.stand, functions.unstand, functions.restand = stand, unstand, restand\n",
	}
}

// Stand adds that a placement at that slot is listed anew; its record and the last run on it are written before. of is its report.
func Stand(tx *redis.Txn, k keys.DeploymentKeys, report int64, slot string, p *placements.Placement, of *record.Definition) {
	written := p.ValueKeys().Written(p.QueryChecksum, of.Parameters)
	tx.Then("stand", k.Standing(), report, slot, facts(p), written, p.RefreshedAt, of.CurrentChecksum)
}

// Unstand adds that a placement is off every list.
func Unstand(tx *redis.Txn, k keys.DeploymentKeys, report int64, slot string) {
	tx.Then("unstand", k.Standing(), report, slot)
}

// Restand adds that all placements of a report are listed anew: its query checksum, or a default of its parameters, is another one now.
func Restand(tx *redis.Txn, k keys.DeploymentKeys, report int64, of *record.Definition) {
	defaults := map[string]string{} // of each parameter; empty: none
	for _, p := range of.Parameters {
		if defaults[p.Name] = ""; p.Default != nil {
			defaults[p.Name] = p.Default.Key()
		}
	}
	text, _ := record.Encode(defaults) // texts always encode
	tx.Then("restand", k.Standing(), report, of.CurrentChecksum, text)
}

// facts is what Standing has of p after its status.
func facts(p *placements.Placement) string {
	edited := "0"
	if p.Edits != nil {
		edited = "1"
	}
	return placedAt(p.PlacedAt) + "\t" + edited + "\t" + strconv.FormatInt(p.Behalf().UID, 10) + "\t" + string(p.Host) + "\t" + p.Home()
}

// placeDigits is the length of the time in the place of a placement in lists.
const placeDigits = 13

// placedAt is the time in the place of a placement: milliseconds since 1970, all zeros when it is not known.
func placedAt(text string) string {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		at = time.Time{}
	}
	return milliseconds(at)
}

// milliseconds is a time in a place. What lies outside is at its ends.
func milliseconds(at time.Time) string {
	const last = 9_999_999_999_999
	return fmt.Sprintf("%0*d", placeDigits, min(max(at.UnixMilli(), 0), last))
}
