//go:build unix

package requests

import (
	"encoding/json"
	"fmt"
	"strings"
)

// ids are those of what requests have made or met, by the name that a parameter has for them. Few are kept of each.
type ids struct{ lists map[string][]string }

const idsKept = 40

func newIDs() *ids { return &ids{map[string][]string{}} }

// one is one of the ids of a name, or otherwise if there is none.
func (k *ids) one(m maker, name, otherwise string) string {
	list := k.lists[name]
	if len(list) == 0 {
		return otherwise
	}
	return list[m.IntN(len(list))]
}

// keep keeps an id, in place of another if there are many.
func (k *ids) keep(m maker, name, id string) {
	switch list := k.lists[name]; {
	case id == "" || len(id) > 300:
	case len(list) < idsKept:
		k.lists[name] = append(list, id)
	default:
		list[m.IntN(len(list))] = id
	}
}

// collections are what the id of an item is called, by the last of these words in the path of the operation.
var collections = []struct{ word, name string }{
	{"refreshes", "runId"},
	{"runs", "runId"},
	{"plans", "planId"},
	{"devices", "deviceId"},
	{"keys", "keyId"},
	{"refresh-schedules", "scheduleId"},
	{"workbooks", "workbookId"},
	{"reports", "reportId"},
}

// harvest keeps the ids that an answer shows.
func (k *ids) harvest(m maker, o *operation, etag string, body []byte) {
	k.keep(m, "etag", etag)
	var answer map[string]any
	if json.Unmarshal(body, &answer) != nil {
		return
	}
	name := ""
	for _, c := range collections {
		if strings.Contains(o.path, "/"+c.word) {
			name = c.name
			break
		}
	}
	items, _ := answer["items"].([]any)
	for _, item := range append(items, answer) {
		if object, ok := item.(map[string]any); ok {
			k.harvestObject(m, name, object)
		}
	}
	if page, ok := answer["pageInfo"].(map[string]any); ok {
		k.keep(m, "after", text(page["endCursor"]))
	}
}

func (k *ids) harvestObject(m maker, name string, object map[string]any) {
	if name != "" {
		k.keep(m, name, text(object["id"]))
	}
	for _, member := range []string{"publicId", "slug", "key", "placementId", "runId", "externalWorkbookId", "deviceId", "device_code"} {
		k.keep(m, member, text(object[member]))
	}
	k.keep(m, "userCode", text(object["user_code"]))
	if placements, ok := object["placements"].([]any); ok {
		for _, one := range placements {
			if placement, ok := one.(map[string]any); ok {
				k.harvestObject(m, "placementId", placement)
			}
		}
	}
}

func text(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case float64:
		return fmt.Sprintf("%.0f", v)
	}
	return ""
}
