package main

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"mooring/cmd/mooring/demo"
	"mooring/cmd/mooring/programtest"
)

// The commands of README.md, typed one after the other, put the table into the workbook.
func TestFiveMinutesOfTheReadme(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cmd := exec.CommandContext(t.Context(), "bash", "-euc", fiveMinutes(t)+"\nwait\n")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out := programtest.NewOutput()
	cmd.Stdout, cmd.Stderr = out, out
	if err := os.Symlink(build(t), filepath.Join(dir, "mooring")); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	defer func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // the server that the commands left running, too
		<-ended
	}()
	tick, late := time.NewTicker(poll), time.After(patience)
	defer tick.Stop()
	for summaryCell(filepath.Join(dir, "try", "sheets", demo.Workbook), "L3") != "68985454" { // the residents of the Midwest
		select {
		case err := <-ended:
			ended <- err
			t.Fatalf("the commands ended: %v\n%s", err, out)
		case <-late:
			t.Fatalf("no table\n%s", out)
		case <-tick.C:
		}
	}
}

// fiveMinutes is the shell blocks of README.md, without the build, on a free port.
func fiveMinutes(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	var script strings.Builder
	for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		script.WriteString(block[1])
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(l.Addr().String())
	l.Close()
	return strings.ReplaceAll(regexp.MustCompile(`go build .*`).ReplaceAllString(script.String(), ""), "8080", port)
}

// summaryCell returns a cell of a workbook's sheet Summary; "" while there is none.
func summaryCell(name, cell string) string {
	f, err := excelize.OpenFile(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	value, _ := f.GetCellValue("Summary", cell, excelize.Options{RawCellValue: true})
	return value
}
