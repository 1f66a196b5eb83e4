package redis

import (
	"strings"
	"testing"
)

// sound is a server of which nothing is to be said.
func sound() server {
	return server{saving: true, save: "3600 1", info: map[string]string{
		"redis_version": "7.0.15", "role": "master", "aof_enabled": "1", "aof_last_write_status": "ok", "aof_last_bgrewrite_status": "ok",
		"rdb_last_bgsave_status": "ok", "maxmemory": "1000", "maxmemory_policy": "noeviction", "used_memory": "800", "total_system_memory": "2000",
	}}
}

func TestWhatIsSaidOfAServer(t *testing.T) {
	tests := map[string]struct {
		change map[string]string
		saving bool
		save   string
		want   []string
	}{
		"nothing of a sound one":             {saving: true, save: "3600 1"},
		"another server with Redis' version": {change: map[string]string{"redis_version": "8.2"}, saving: true},
		"an old version":                     {change: map[string]string{"redis_version": "6.2.14"}, saving: true, want: []string{"version 6.2.14"}},
		"no persistence":                     {change: map[string]string{"aof_enabled": "0"}, saving: true, want: []string{"saves nothing to its disk"}},
		"snapshots only": {
			change: map[string]string{"aof_enabled": "0"}, saving: true, save: "3600 1", want: []string{"saves snapshots only (save 3600 1)"},
		},
		"no right to CONFIG":                   {change: map[string]string{"aof_enabled": "0"}, want: []string{"may not run CONFIG"}},
		"no right to CONFIG does not matter":   {},
		"a failed write of the append-only":    {change: map[string]string{"aof_last_write_status": "err"}, saving: true, want: []string{"aof_last_write_status:err"}},
		"a failed snapshot":                    {change: map[string]string{"rdb_last_bgsave_status": "err"}, saving: true, want: []string{"rdb_last_bgsave_status:err"}},
		"a policy that evicts":                 {change: map[string]string{"maxmemory_policy": "volatile-lru"}, saving: true, want: []string{"set maxmemory-policy noeviction"}},
		"little memory left":                   {change: map[string]string{"used_memory": "801"}, saving: true, want: []string{"80 % of maxmemory"}},
		"little memory of the machine":         {change: map[string]string{"maxmemory": "0", "used_memory": "1900"}, saving: true, want: []string{"95 % of the machine's memory"}},
		"a machine that says nothing":          {change: map[string]string{"maxmemory": "0", "total_system_memory": ""}, saving: true},
		"all that is wrong, in the same order": {change: map[string]string{"redis_version": "6", "aof_enabled": "0", "maxmemory_policy": "allkeys-lru"}, saving: true, want: []string{"version 6", "saves nothing", "maxmemory-policy"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := sound()
			for field, value := range tt.change {
				s.info[field] = value
			}
			s.saving, s.save = tt.saving, tt.save
			wantEach(t, s.warnings(), tt.want)
		})
	}
	t.Run("no right to INFO", func(t *testing.T) { wantEach(t, server{}.warnings(), []string{"may not run INFO"}) })
}

// wantEach checks that each text holds its part, and that there are no others.
func wantEach(t *testing.T, got, parts []string) {
	t.Helper()
	if len(got) != len(parts) {
		t.Fatalf("got %q, want %d", got, len(parts))
	}
	for i, part := range parts {
		if !strings.Contains(got[i], part) {
			t.Errorf("%q does not hold %q", got[i], part)
		}
	}
}

func TestNodesStandBehindWhatIsSaidOfThem(t *testing.T) {
	got := byNode(map[string][]string{"it saves nothing": {"b:1", "a:1"}, "it evicts": {"a:1"}})
	wantEach(t, got, []string{"it evicts (a:1)", "it saves nothing (a:1, b:1)"})
}
