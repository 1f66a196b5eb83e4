package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/cmd/mooring/config"
	"mooring/cmd/mooring/process"
	"mooring/cmd/mooring/programtest"
)

// packaging is the folder of what packages hold beside the program.
const packaging = root + "/scripts/packaging"

// needs skips a test, or fails it, unless these programs are here.
func needs(t *testing.T, programs ...string) {
	t.Helper()
	for _, program := range programs {
		if _, err := exec.LookPath(program); err != nil {
			missingTool(t, program)
		}
	}
}

// printed runs a program that must succeed and returns what it printed.
func printed(t *testing.T, name string, args ...string) string {
	t.Helper()
	var stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, out, stderr.String())
	}
	return string(out)
}

// packagesMade packages this machine's platform, once for all tests. The version is one that no tag has.
var packagesMade = sync.OnceValues(func() (string, error) {
	made, err := programtest.Dir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(made, "packages")
	out, err := exec.Command(root+"/scripts/package", "--out", dir, "--only", "linux/"+runtime.GOARCH, "1.2.3").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return dir, nil
})

// packaged returns the folder with this machine's packages.
func packaged(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("builds packages")
	}
	if runtime.GOOS != "linux" {
		t.Skip("packages for Linux are looked into on Linux")
	}
	needs(t, "bash", "dpkg-deb", "zip", "tar")
	dir, err := packagesMade()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// unpacked returns the folder of what the Debian package puts on a machine.
func unpacked(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	printed(t, "dpkg-deb", "-x", filepath.Join(packaged(t), "mooring_1.2.3_"+runtime.GOARCH+".deb"), dir)
	return dir
}

// The same sources in another folder and another time zone make the same bytes.
func TestPackagesAreReproducible(t *testing.T) {
	t.Parallel()
	made := packaged(t)
	other := t.TempDir()
	copied := filepath.Join(other, "sources")
	if err := os.MkdirAll(copied, 0o755); err != nil {
		t.Fatal(err)
	}
	top, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	files := printed(t, "git", "-C", top, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	pack := exec.CommandContext(t.Context(), "bash", "-c",
		`tar -C "$1" --null --ignore-failed-read -T - -c | tar -C "$2" -x`, "copy", top, copied)
	pack.Stdin = strings.NewReader(files)
	if out, err := pack.CombinedOutput(); err != nil {
		t.Fatalf("copy: %v\n%s", err, out)
	}
	epoch := strings.TrimSpace(printed(t, "git", "-C", top, "log", "-1", "--format=%ct"))
	again := exec.CommandContext(t.Context(),
		filepath.Join(copied, "scripts", "package"), "--out", other, "--only", "linux/"+runtime.GOARCH, "1.2.3")
	again.Env = append(os.Environ(), "TZ=Asia/Tokyo", "SOURCE_DATE_EPOCH="+epoch)
	if out, err := again.CombinedOutput(); err != nil {
		t.Fatalf("package: %v\n%s", err, out)
	}
	if diff := cmp.Diff(readText(t, filepath.Join(made, "SHA256SUMS")), readText(t, filepath.Join(other, "SHA256SUMS"))); diff != "" {
		t.Error(diff)
	}
}

func readText(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// An archive holds the program of that version, the page and the licences; the bill beside it names the modules.
func TestArchiveHoldsTheRelease(t *testing.T) {
	t.Parallel()
	made, dir := packaged(t), t.TempDir()
	name := "mooring-1.2.3-linux-" + runtime.GOARCH
	printed(t, "tar", "-C", dir, "-xf", filepath.Join(made, name+".tar.gz"))
	program := filepath.Join(dir, name, "mooring")
	if got, want := printed(t, program, "--version"), "mooring 1.2.3 "+runtime.Version()+" linux/"+runtime.GOARCH+"\n"; got != want {
		t.Errorf("--version prints %q, want %q", got, want)
	}
	licences := readText(t, filepath.Join(dir, name, "LICENCES"))
	bill := readText(t, filepath.Join(made, name+".cdx.json"))
	for _, module := range []string{"github.com/gin-gonic/gin", "modernc.org/sqlite", "github.com/redis/go-redis/v9"} {
		if !strings.Contains(licences, "==== "+module+"@") || !strings.Contains(bill, "pkg:golang/"+module+"@") {
			t.Errorf("no %s in the licences or the bill", module)
		}
	}
	sum := fmt.Sprintf("%x  %s.tar.gz\n", sha256.Sum256([]byte(readText(t, filepath.Join(made, name+".tar.gz")))), name)
	if sums := readText(t, filepath.Join(made, "SHA256SUMS")); !strings.Contains(sums, sum) {
		t.Errorf("no %q in\n%s", sum, sums)
	}
}

// exposure is the most that the unit may be exposed by systemd's own measure, in tenths of its 10 steps.
const exposure = "15"

// systemd accepts the unit as it is packed, and finds it confined.
func TestUnitIsConfined(t *testing.T) {
	t.Parallel()
	dir := unpacked(t)
	needs(t, "systemd-analyze")
	unit := filepath.Join(dir, "usr/lib/systemd/system/mooring.service")
	printed(t, "systemd-analyze", "security", "--offline=true", "--threshold="+exposure, "--no-pager", unit)
	// The program is where the unit says on a machine that has the package: here below dir.
	here := filepath.Join(t.TempDir(), "mooring.service")
	writeFile(t, here, strings.ReplaceAll(readText(t, unit), "/usr/bin/mooring", dir+"/usr/bin/mooring"))
	verify := exec.CommandContext(t.Context(), "systemd-analyze", "verify", "--man=no", here)
	if out, err := verify.CombinedOutput(); err != nil || strings.Contains(string(out), here) {
		t.Errorf("%v\n%s", err, out)
	}
}

// The Debian package declares its configuration, has scripts that the shell can read, and completions where the shells look.
func TestDebianPackage(t *testing.T) {
	t.Parallel()
	name := filepath.Join(packaged(t), "mooring_1.2.3_"+runtime.GOARCH+".deb")
	control := t.TempDir()
	printed(t, "dpkg-deb", "-e", name, control)
	if got := readText(t, filepath.Join(control, "conffiles")); got != "/etc/mooring/mooring.yaml\n" {
		t.Errorf("conffiles %q", got)
	}
	for _, script := range []string{"postinst", "prerm", "postrm"} {
		printed(t, "sh", "-n", filepath.Join(control, script))
	}
	list := printed(t, "dpkg-deb", "-c", name)
	for _, line := range []string{
		"-rwxr-xr-x root/root .* ./usr/bin/mooring\n", "-rw-r--r-- root/root .* ./etc/mooring/mooring.yaml\n",
		"./usr/lib/systemd/system/mooring.service\n", "./usr/lib/sysusers.d/mooring.conf\n", "./usr/share/bash-completion/completions/mooring\n",
		"./usr/share/zsh/vendor-completions/_mooring\n", "./usr/share/fish/vendor_completions.d/mooring.fish\n",
		"./usr/share/doc/mooring/copyright\n",
	} {
		if !regexp.MustCompile(line).MatchString(list) {
			t.Errorf("no %q in\n%s", line, list)
		}
	}
}

// What packages and containers begin with is a configuration that loads.
func TestPackedConfigurationsLoad(t *testing.T) {
	t.Parallel()
	env := environment("MOORING_SECRET", testSecret, "PG_URL", "postgres://reports:secret@postgres:5432/reports")
	for _, name := range []string{"debian/mooring.yaml", "compose-mooring.yaml"} {
		if _, err := config.Load(filepath.Join(packaging, name), env, process.Drivers()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Containers and releases are built with the same flags, and so are the same.
func TestContainersHoldTheReleasesProgram(t *testing.T) {
	t.Parallel()
	flags := regexp.MustCompile(`-ldflags "(-s -w -X mooring/cmd/mooring/process\.release=)\$`)
	release, image := readText(t, root+"/scripts/package"), readText(t, packaging+"/Dockerfile")
	for _, text := range []string{release, image} {
		if !flags.MatchString(text) || !strings.Contains(text, "-trimpath -buildvcs=false") || !strings.Contains(text, "-tags nomsgpack") {
			t.Errorf("other flags in\n%s", text)
		}
	}
	version := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(readText(t, root+"/go.mod"))
	if !strings.Contains(image, "FROM golang:"+version[1]+" ") {
		t.Errorf("the image is built by another Go than go.mod's %s", version[1])
	}
}
