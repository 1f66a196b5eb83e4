package programtest

import (
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	code := m.Run()
	Remove()
	os.Exit(code)
}

func TestProcessIsStartedReadAndEnded(t *testing.T) {
	p := Start(t, "demo", "--listen", "127.0.0.1:0", "--dir", t.TempDir())
	p.WaitFor("Serving on")
	if p.HasEnded() {
		t.Errorf("it has ended: %s", p.Out)
	}
	if status := p.Terminate(); status != 0 || !p.HasEnded() {
		t.Errorf("status %d after SIGTERM: %s", status, p.Out)
	}
}

func TestLineOfWhatHasEnded(t *testing.T) {
	ended, o := make(chan struct{}), NewOutput()
	close(ended)
	for _, part := range []string{"one\ntwo ", "halves\nthe re", "st"} {
		if _, err := o.Write([]byte(part)); err != nil {
			t.Fatal(err)
		}
	}
	if line, ok := o.Line("two", ended); line != "two halves" || !ok {
		t.Errorf("got %q, %t", line, ok)
	}
	if line, ok := o.Line("rest", ended); ok {
		t.Errorf("%q is no whole line", line)
	}
}
