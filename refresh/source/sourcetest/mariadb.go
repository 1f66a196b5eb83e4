//go:build unix

package sourcetest

import (
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/go-sql-driver/mysql"
)

// MariaDB is a MariaDB server of the test's own with an empty database, shop. It offers encryption by a certificate of 127.0.0.1.
type MariaDB struct {
	Port int
	Dir  string // of its files
	CA   string // the file of the certificate that vouches for it
	root *sql.DB
}

// StartMariaDB starts a server on a free port of the loopback interface and ends it with the test. Without MariaDB the test is skipped, or
// fails if MOORING_TEST_REQUIRE is set.
func StartMariaDB(t *testing.T) *MariaDB {
	t.Helper()
	install, mariadbd := mariadbPrograms(t)
	dir, err := os.MkdirTemp("", "mooring-mariadb-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	s := &MariaDB{Port: FreePort(t), Dir: dir, CA: filepath.Join(dir, "ca.pem")}
	certificate, key := writeCertificates(t, dir)
	as := serverUser(t, "mysql")
	giveTo(t, as, dir, certificate, key)
	data, socket := filepath.Join(dir, "data"), filepath.Join(dir, "socket")
	const noSync = "--innodb-flush-method=nosync"
	init := exec.Command(install, "--no-defaults", "--datadir="+data, "--auth-root-authentication-method=normal", "--skip-test-db",
		"--skip-name-resolve", "--debug-no-sync", noSync)
	init.Dir, init.SysProcAttr = dir, &syscall.SysProcAttr{Credential: as}
	init.Env = append(os.Environ(), "HOME="+dir, "TMPDIR="+dir)
	if out, err := init.CombinedOutput(); err != nil {
		t.Fatalf("mariadb-install-db: %v\n%s", err, out)
	}
	server := exec.Command(mariadbd, "--no-defaults", "--datadir="+data, "--port="+strconv.Itoa(s.Port), "--bind-address=127.0.0.1",
		"--socket="+socket, "--pid-file="+filepath.Join(dir, "pid"), "--tmpdir="+dir, "--secure-file-priv=", "--skip-name-resolve",
		"--performance-schema=off", "--innodb-buffer-pool-size=32M", "--innodb-fast-shutdown=2", noSync, "--debug-no-sync",
		"--ssl-cert="+certificate, "--ssl-key="+key)
	server.Dir, server.SysProcAttr = dir, &syscall.SysProcAttr{Credential: as}
	startServer(t, server, "ready for connections")
	root := mysql.NewConfig()
	root.User, root.Net, root.Addr, root.MultiStatements = "root", "unix", socket, true
	connector, err := mysql.NewConnector(root)
	if err != nil {
		t.Fatal(err)
	}
	s.root = sql.OpenDB(connector)
	t.Cleanup(func() { s.root.Close() })
	if _, err := s.root.ExecContext(t.Context(), "CREATE DATABASE shop"); err != nil {
		t.Fatal(err)
	}
	return s
}

// URL is the address of a database for a login.
func (s *MariaDB) URL(user, password, database string) string {
	return fmt.Sprintf("mysql://%s:%s@127.0.0.1:%d/%s", user, password, s.Port, database)
}

// Exec runs statements as the administrator in the database shop.
func (s *MariaDB) Exec(t testing.TB, statements string) {
	t.Helper()
	if _, err := s.root.ExecContext(t.Context(), "USE shop; "+statements); err != nil {
		t.Fatalf("%s: %v", statements, err)
	}
}

// Number is the one number that a query of the administrator returns.
func (s *MariaDB) Number(t testing.TB, query string) (n int64) {
	t.Helper()
	if err := s.root.QueryRowContext(t.Context(), query).Scan(&n); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return n
}

func mariadbPrograms(t *testing.T) (install, mariadbd string) {
	t.Helper()
	dirs := append(filepath.SplitList(os.Getenv("PATH")), "/usr/sbin", "/usr/local/sbin")
	for _, dir := range dirs {
		if path := filepath.Join(dir, "mariadb-install-db"); install == "" && executable(path) {
			install = path
		}
		if path := filepath.Join(dir, "mariadbd"); mariadbd == "" && executable(path) {
			mariadbd = path
		}
	}
	switch {
	case install != "" && mariadbd != "":
		return install, mariadbd
	case os.Getenv("MOORING_TEST_REQUIRE") != "":
		t.Fatal("MariaDB is not installed")
	}
	t.Skip("MariaDB is not installed")
	return "", ""
}
