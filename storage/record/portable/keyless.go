package portable

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"mooring/storage/record"
)

// MadeKeys are the keys that are made for the schedules without one, by their ids: what their names say, with a number where another of the
// deployment has that key. all are the deployment's schedules. An apply that adopts one stores its key.
func MadeKeys(all []*record.Schedule) map[int64]string {
	taken, made := map[string]bool{}, map[int64]string{}
	for _, c := range all {
		taken[c.Key] = true
	}
	all = slices.SortedFunc(slices.Values(all), func(a, b *record.Schedule) int { return cmp.Compare(a.ID, b.ID) })
	for _, c := range all {
		if c.Key != "" {
			continue
		}
		key := keyOfName(c.Name)
		for n := 2; taken[key]; n++ {
			key = fmt.Sprintf("%s-%d", keyOfName(c.Name), n)
		}
		taken[key], made[c.ID] = true, key
	}
	return made
}

var notInKey = regexp.MustCompile(`[^a-z0-9]+`)

// keyOfName makes a key of a name, which leaves room for a number.
func keyOfName(name string) string {
	key := strings.Trim(notInKey.ReplaceAllString(strings.ToLower(name), "-"), "-")
	return cmp.Or(strings.Trim(key[:min(len(key), 100)], "-"), string(KindSchedule))
}

// NewKeys are the keys of the bundle's schedules that its project has not applied.
func (b *Bundle) NewKeys(applied map[AssetKey]*Applied) (keys []string) {
	for i := range b.Assets {
		if a := &b.Assets[i]; a.Kind() == KindSchedule && applied[a.Key()] == nil {
			keys = append(keys, a.Ref)
		}
	}
	return keys
}

// LeaveOthers takes the schedules without a key out of held that the bundle does not mean by the key made for them: it means one of the same
// report, and one that it adopts or takes over by its number.
func (b *Bundle) LeaveOthers(held *Holdings) {
	for i := range b.Assets {
		d, ok := b.Assets[i].Definition.(*ScheduleDeclaration)
		c := held.Schedules[b.Assets[i].Ref]
		if !ok || c == nil || c.Key != "" {
			continue
		}
		name := numbered(KindSchedule, c.ID)
		same := d.Target.OrZero().PublicID == held.PublicIDs[c.Target.ReportID]
		if !same && !slices.Contains(b.Adopt, name) && !slices.Contains(b.TakeOver, name) {
			delete(held.Schedules, b.Assets[i].Ref)
		}
	}
}

// numbered names an asset by its id, such as schedule:#17.
func numbered(kind AssetKind, id int64) string { return fmt.Sprintf("%s:#%d", kind, id) }
