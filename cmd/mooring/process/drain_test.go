package process

import (
	"os"
	"regexp"
	"testing"
	"time"
)

func TestSystemdWaitsForWhatDrains(t *testing.T) {
	unit, err := os.ReadFile("../../../scripts/packaging/debian/mooring.service")
	if err != nil {
		t.Fatal(err)
	}
	stop := regexp.MustCompile(`TimeoutStopSec=(\d+)`).FindSubmatch(unit)
	if stop == nil {
		t.Fatal("the unit does not say how long a stop may take")
	}
	if patience, err := time.ParseDuration(string(stop[1]) + "s"); err != nil || patience <= grace {
		t.Errorf("systemd kills after %s what drains for %s; %v", patience, grace, err)
	}
}
