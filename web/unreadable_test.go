package web

import (
	"log/slog"
	"testing"

	"github.com/redis/go-redis/v9"

	"mooring/refresh"
	"mooring/storage/storagetest"
)

// A report whose stored definition cannot be read is in the way of no schedule and no placement of another report.
func TestFault13OneUnreadableReportHidesNothingElse(t *testing.T) {
	for name, broken := range map[string]func(c *redis.Client, key string) error{
		"broken": func(c *redis.Client, key string) error {
			return c.HSet(t.Context(), key, "definition", `{"name":`).Err()
		},
		"lost": func(c *redis.Client, key string) error { return c.HDel(t.Context(), key, "definition").Err() },
	} {
		t.Run(name, func(t *testing.T) {
			address := storagetest.Redis(t)
			s := storagetest.Open(t, address)
			a := newAPI(t, s, func(c *Config) {
				c.Engine = refresh.New(refresh.Config{Store: s, Log: slog.New(slog.DiscardHandler)})
			})
			second := report("Costs")
			second.keep = map[string]string{"other": "id"}
			schedule := func(of string) step {
				return step{
					name: "schedule " + of, method: "POST", path: "/refresh-schedules", status: 200,
					body: `{"name":"` + of + `","target":{"reportId":{{` + of + `}}},"cron":"@daily"}`,
				}
			}
			place := func(of, holds string) step {
				return step{
					name: "place " + of, method: "PUT", path: "/reports/{{" + of + "}}/connect-workbook", status: 200,
					body: `{"externalWorkbookId":"doc","resultLocation":"Data!B2","placementId":"` + of + `"}`, holds: holds,
				}
			}
			a.run(t, []step{second, report("Sales"), schedule("other"), schedule("id"), place("other", `{}`), place("id", `{}`)})
			client := storagetest.Client(t, address)
			keys, err := client.Keys(t.Context(), "*:d:1:report:1").Result()
			if err != nil || len(keys) != 1 {
				t.Fatalf("%v, %v", keys, err)
			}
			if err := broken(client, keys[0]); err != nil {
				t.Fatal(err)
			}
			a.run(t, []step{
				{name: "the schedule of the other report is listed", method: "GET", path: "/refresh-schedules", status: 200, holds: `{"items":[{"name":"id"}]}`},
				{
					name: "so is its placement", method: "GET", path: "/api/v1/external-documents/doc/placements", as: "role7", status: 200,
					holds: `{"items":[{"access":"DENIED","placement":{"anchorCell":"B2"}},{"access":"DENIED","placement":{"anchorCell":"B2"}}]}`,
				},
				{
					name: "and in the list of its deployment", method: "GET", path: "/placements", as: "viewer", status: 200,
					holds: `{"items":[{"reportName":"Sales","placement":{"id":"id"}},{"reportName":"","placement":{"id":"other"}}]}`,
				},
				{name: "to who may read all reports", method: "GET", path: "/placements", as: "role7", status: 200, holds: `{"items":[]}`},
				place("id", `{"overlaps":[{"access":"GRANTED","reportName":"","placement":{"id":"other"}}]}`),
			})
		})
	}
}
