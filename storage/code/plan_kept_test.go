package code

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPlansThatGoForANewOne(t *testing.T) {
	of := func(user int64, megabytes ...int) (list []keptSize) {
		for i, n := range megabytes {
			list = append(list, keptSize{Bytes: n << 20, User: user, ID: fmt.Sprintf("%d.%d", user, i)})
		}
		return list
	}
	many := func(users int, megabytes int) (list []keptSize) {
		for user := range users {
			list = append(list, of(int64(user+10), megabytes, 1)...)
		}
		return list
	}
	for name, tt := range map[string]struct {
		kept  []keptSize
		fresh int // MiB, of user 1
		want  []string
	}{
		"none while there is room":                  {of(1, 7, 7, 7), 7, nil},
		"the user's oldest":                         {of(1, 20, 20, 7), 7, []string{"1.0"}},
		"as many as are needed":                     {of(1, 10, 10, 10, 10, 7), 15, []string{"1.0", "1.1"}},
		"nobody else's for a user's own":            {append(of(2, 40), of(1, 40)...), 10, []string{"1.0"}},
		"of who has most where all have too much":   {append(many(11, 45), of(1, 1)...), 10, []string{"10.0"}},
		"the new one stays, however large it is":    {of(1, 30), 60, []string{"1.0"}},
		"a tenant that is full of small ones gives": {many(511, 0), 2, []string{"10.0", "10.1"}},
	} {
		var got []string
		for _, k := range tooMuch(tt.kept, keptSize{Bytes: tt.fresh << 20, User: 1, ID: "new"}) {
			got = append(got, k.ID)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
