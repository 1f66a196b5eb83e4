package main

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mooring/cmd/mooring/process"
	"mooring/cmd/mooring/programtest"
)

func TestCompletion(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		words []string
		want  []string // all of them; nil: none, so that the shell completes files
	}{
		{"a command", []string{"ver"}, []string{"version"}},
		{"every command of a group", []string{"key", ""}, []string{"create", "revoke", "list"}},
		{"a flag of the command", []string{"serve", "--li"}, []string{"--listen"}},
		{"a flag after another's value", []string{"serve", "--config", "key", "--li"}, []string{"--listen"}},
		{"a value of a set", []string{"plan", "--format", "ma"}, []string{"markdown"}},
		{"a value of any kind", []string{"serve", "--config", ""}, nil},
		{"a file", []string{"validate", ""}, nil},
		{"an argument of a set", []string{"completion", "z"}, []string{"zsh"}},
		{"the second argument of one", []string{"completion", "zsh", ""}, nil},
		{"a command to be explained", []string{"help", "key", "rev"}, []string{"revoke"}},
		{"nothing that begins so", []string{"moor"}, nil},
		{"a flag with no command", []string{"--he"}, []string{"--help"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			status, out, stderr := mooring(t, append([]string{"completion", "bash", "--"}, test.words...)...)
			var got []string
			for line := range strings.Lines(out) {
				word, help, _ := strings.Cut(line, "\t")
				if strings.TrimSpace(help) == "" {
					t.Errorf("%s has no help", word)
				}
				got = append(got, word)
			}
			if status != process.ExitDone || strings.Join(got, " ") != strings.Join(test.want, " ") {
				t.Errorf("status %d, got %q, want %q; %s", status, got, test.want, stderr)
			}
		})
	}
}

// In each shell, a person who has read its script completes a word with the tab key.
func TestShellsComplete(t *testing.T) {
	t.Parallel()
	path := filepath.Dir(build(t)) + ":" + os.Getenv("PATH")
	t.Run("bash", func(t *testing.T) {
		shell := typeInto(t, path, "bash --norc --noprofile -i")
		shell.types("source <(mooring completion bash); echo re''ady\n", "ready\r\n")
		shell.types("mooring key cre\t", "mooring key create ")
	})
	t.Run("zsh", func(t *testing.T) {
		if got := shellRuns(t, path, "zsh", "-f", "-c", zshAtTerminal); !strings.Contains(got, "Revoke a token") {
			t.Errorf("got %s", got)
		}
	})
	t.Run("fish", func(t *testing.T) {
		got := shellRuns(t, path, "fish", "--no-config", "-c",
			`mooring completion fish | source; complete -C "mooring key cre"; complete -C "mooring validate /etc/pass"`)
		if !strings.HasPrefix(got, "create\tSign a token") || !strings.Contains(got, "/etc/passwd") {
			t.Errorf("got %s", got)
		}
	})
}

// zshAtTerminal gives a zsh a terminal, types a line with a tab key, and prints what the terminal shows.
const zshAtTerminal = `
zmodload zsh/zpty
zpty -b shell 'zsh -f -i'
seen=
await() { until [[ $seen == *"$1"* ]]; do zpty -r -t shell chunk && seen+=$chunk || sleep 0.02; done }
zpty -w shell "autoload -U compinit && compinit -D -u && source <(mooring completion zsh); echo re''ady"
await ready
zpty -w -n shell $'mooring key \t'
await 'Revoke a token'
print -r -- "$seen"
zpty -d shell
`

// shellRuns runs a command in a shell that may not be here and returns its output.
func shellRuns(t *testing.T, path, shell string, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath(shell); err != nil {
		missingTool(t, shell)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, shell, args...)
	cmd.Env = append(os.Environ(), "PATH="+path, "TERM=xterm", "HOME="+t.TempDir())
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", shell, err, out)
	}
	return string(out)
}

// missingTool skips a test for want of a program, or fails it where all must be here.
func missingTool(t *testing.T, program string) {
	t.Helper()
	if os.Getenv("MOORING_TEST_REQUIRE") != "" {
		t.Fatalf("no %s here", program)
	}
	t.Skipf("no %s here", program)
}

// typist types at a terminal.
type typist struct {
	t     *testing.T
	keys  io.Writer
	shown *programtest.Output
}

// typeInto starts a command at a terminal, which script(1) provides.
func typeInto(t *testing.T, path, command string) *typist {
	t.Helper()
	if _, err := exec.LookPath("script"); err != nil {
		missingTool(t, "script")
	}
	cmd := exec.Command("script", "-qefc", command, "/dev/null")
	cmd.Env = append(os.Environ(), "PATH="+path, "TERM=xterm")
	keys, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	shown := programtest.NewOutput()
	cmd.Stdout, cmd.Stderr = shown, shown
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // has no effect on one that ended
		_ = cmd.Wait()
	})
	return &typist{t: t, keys: keys, shown: shown}
}

// types presses keys and waits until the terminal shows what they lead to.
func (y *typist) types(keys, want string) {
	y.t.Helper()
	if _, err := io.WriteString(y.keys, keys); err != nil {
		y.t.Fatal(err)
	}
	for late := time.After(patience); ; {
		text, more := y.shown.Look()
		if strings.Contains(text, want) {
			return
		}
		select {
		case <-more:
		case <-late:
			y.t.Fatalf("no %q in %q", want, text)
		}
	}
}
