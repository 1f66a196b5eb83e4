package host

import "testing"

func TestParameterNamesTellTheirBlocks(t *testing.T) {
	for _, id := range []string{"a", "A-1", "p_x", "0190c7e2-7f5e-7c8a-9c62-2f7d1c1a0b11", "a_2", "ä ö"} {
		name := MarkerName(ParameterID(id, 12))
		if of, ok := ParameterOf(name); !ok || of != MarkerName(id) {
			t.Errorf("%s is that of a parameter of %s, %t; want %s", name, of, ok, MarkerName(id))
		}
		if !IsMarker(name) {
			t.Errorf("%s is no marker", name)
		}
	}
	for _, name := range []string{"_mooring_a", "_mooring_p", "_mooring_p_1", "_mooring_p__1", "_mooring_p_a_b", "_mooring_p_a_1.00status", "p_a_1"} {
		if of, ok := ParameterOf(name); ok {
			t.Errorf("%s is that of a parameter of %s", name, of)
		}
	}
}
