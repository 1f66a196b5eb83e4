package mysql

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"

	"github.com/go-sql-driver/mysql"

	"mooring/refresh/secret"
	"mooring/refresh/source"
)

// Config is the configuration of a MariaDB or MySQL server.
type Config struct {
	source.Limits `yaml:",inline"`
	URL           secret.Text `yaml:"url"`         // mysql://…
	TLS           string      `yaml:"tls"`         // verify, unverified or off; empty: verify
	CA            string      `yaml:"ca"`          // the file of the certificates that vouch for the server; empty: the system's
	RowSecurity   bool        `yaml:"rowSecurity"` // refused: the servers have none
}

var _ source.Config = (*Config)(nil)

// The values of Config.TLS.
const (
	tlsVerify     = "verify"
	tlsUnverified = "unverified"
	tlsOff        = "off"
)

const defaultPort = "3306"

// Paths returns the file of certificates.
func (c *Config) Paths() []*string { return []*string{&c.CA} }

// Open makes the source, without a connection.
func (c *Config) Open(context.Context) (source.Source, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	login, err := parseURL(string(c.URL))
	if err != nil {
		return nil, err
	}
	if login.TLS, err = c.encryption(); err != nil {
		return nil, err
	}
	own := *c
	own.Limits = c.WithDefaults(source.DefaultStatementTimeout)
	return &server{config: own, login: login, slots: make(source.Slots, own.MaxConnections)}, nil
}

func (c *Config) check() error {
	var missing, security, clash error
	if c.URL == "" {
		missing = errors.New("url: missing; kind mysql needs it")
	}
	if c.RowSecurity {
		security = errors.New("rowSecurity: MariaDB and MySQL have no row-level security; leave it out, " +
			"and give each group of readers a deployment with a login of its own")
	}
	if c.CA != "" && cmp.Or(c.TLS, tlsVerify) != tlsVerify {
		clash = errors.New("ca: certificates are looked at only where tls is verify")
	}
	return errors.Join(missing, security, clash, c.Limits.Check())
}

// parseURL reads the address of a server. It never repeats the URL.
func parseURL(text string) (*mysql.Config, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "mysql" && u.Scheme != "mariadb" || u.Hostname() == "" || strings.Count(u.Path, "/") > 1 {
		return nil, errors.New("url: is no address of a MariaDB or MySQL server; write mysql://user:password@host:3306/database")
	}
	if u.RawQuery != "" || u.Fragment != "" {
		return nil, errors.New("url: ends with the database; options such as tls are keys beside url")
	}
	login := mysql.NewConfig()
	login.User = u.User.Username()
	login.Passwd, _ = u.User.Password()
	login.Net, login.Addr = "tcp", net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), defaultPort))
	login.DBName = strings.TrimPrefix(u.Path, "/")
	login.ConnectionAttributes = "program_name:mooring"
	login.Logger = new(mysql.NopLogger) // its errors are returned too
	return login, nil
}

// encryption returns how connections are encrypted, nil for not at all.
func (c *Config) encryption() (*tls.Config, error) {
	switch cmp.Or(c.TLS, tlsVerify) {
	case tlsOff:
		return nil, nil
	case tlsUnverified:
		return &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS12}, nil // #nosec G402 -- the operator wants it so
	case tlsVerify:
	default:
		return nil, errors.New("tls: is verify, unverified or off")
	}
	verified := &tls.Config{MinVersion: tls.VersionTLS12} // the driver sets the name
	if c.CA == "" {
		return verified, nil
	}
	pem, err := os.ReadFile(c.CA)
	if err != nil {
		return nil, fmt.Errorf("ca: %w", err)
	}
	verified.RootCAs = x509.NewCertPool()
	if !verified.RootCAs.AppendCertsFromPEM(pem) {
		return nil, errors.New("ca: the file holds no certificate in PEM")
	}
	return verified, nil
}
