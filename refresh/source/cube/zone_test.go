package cube_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"mooring/refresh/source"
	"mooring/refresh/source/cube"
	"mooring/refresh/source/sourcetest"
)

func TestCubeThatMayIgnoreTimeZonesIsDoubted(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	wrongToken := func(c *cube.Config) { c.Token = "eyJ-another" }
	for _, tc := range []struct {
		fact     string
		anyZone  bool
		location *time.Location
		edit     func(*cube.Config)
		doubted  bool
	}{
		{"one that refuses a zone which does not exist is not", false, berlin, nil, false},
		{"one that takes any zone is", true, berlin, nil, true},
		{"not where times are UTC", true, time.UTC, nil, false},
		{"nor where nothing is said of a zone", true, nil, nil, false},
		{"one that refuses the token is for the check to find", true, berlin, wrongToken, false},
	} {
		t.Run(tc.fact, func(t *testing.T) {
			f := newFakeCube(t, nil)
			f.anyZone = tc.anyZone
			config := f.config()
			if tc.edit != nil {
				tc.edit(config)
			}
			warnings, err := sourcetest.Open(t, config).(source.Warner).Warnings(context.Background(), tc.location)
			if err != nil {
				t.Fatal(err)
			}
			why := strings.Join(warnings, " ")
			if (why != "") != tc.doubted || tc.doubted && !strings.Contains(why, "before 1.5.10") {
				t.Errorf("the doubt is %q", why)
			}
		})
	}
}
