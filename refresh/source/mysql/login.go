package mysql

import (
	"context"
	"fmt"
	"time"

	"mooring/refresh/source"
)

// loginQuery reads what the login may do beyond reading: the name, whether it may reach the server's files, something that it may write to,
// and whether it may read anything.
const loginQuery = `SELECT CURRENT_USER(),
  (SELECT COUNT(*) FROM information_schema.user_privileges WHERE privilege_type IN ('FILE', 'SUPER') AND grantee = me.name),
  COALESCE((SELECT MIN(place) FROM (
      SELECT '*.*' AS place, grantee, privilege_type FROM information_schema.user_privileges
      UNION ALL SELECT CONCAT(table_schema, '.*'), grantee, privilege_type FROM information_schema.schema_privileges
      UNION ALL SELECT CONCAT(table_schema, '.', table_name), grantee, privilege_type FROM information_schema.table_privileges
      UNION ALL SELECT CONCAT(table_schema, '.', table_name), grantee, privilege_type FROM information_schema.column_privileges
    ) AS granted WHERE grantee = me.name AND privilege_type IN ('INSERT', 'UPDATE', 'DELETE', 'CREATE', 'ALTER', 'DROP')), ''),
  EXISTS (SELECT 1 FROM information_schema.columns WHERE table_schema NOT IN ` + systemSchemas + ` AND FIND_IN_SET('select', privileges))
FROM (SELECT CONCAT('''', SUBSTRING_INDEX(CURRENT_USER(), '@', 1), '''@''', SUBSTRING_INDEX(CURRENT_USER(), '@', -1), '''') AS name) AS me`

const remedy = "give the source a login that may only SELECT what reports may show"

// Warnings names what a report's query could do beyond reading what it is meant to, and what makes its dates other than they should be.
func (s *server) Warnings(ctx context.Context, location *time.Location) (warnings []string, err error) {
	var login []string
	var own zone
	err = s.with(ctx, location, func(ctx context.Context, session *session) (err error) {
		own = session.zone
		login, err = session.firstRow(ctx, loginQuery, 4)
		return err
	})
	if err != nil {
		return nil, err
	}
	name := login[0]
	if login[1] != "0" {
		warnings = append(warnings, fmt.Sprintf("the login %s has FILE or SUPER: queries may read the server's files; %s", name, remedy))
	}
	if login[2] != "" {
		warnings = append(warnings, fmt.Sprintf("the login %s may write to %s: queries run in read-only transactions, and yet %s", name, login[2], remedy))
	}
	if login[3] != "1" {
		warnings = append(warnings, fmt.Sprintf("the login %s may read no table: GRANT SELECT ON the tables of reports TO it", name))
	}
	if own.offset != "" {
		warnings = append(warnings, fmt.Sprintf("the database server knows no time zone %s: NOW() and timestamps in conditions are at %s all year; "+
			"load its zones with mariadb-tzinfo-to-sql or mysql_tzinfo_to_sql", source.ZoneName(location), own.offset))
	}
	return warnings, nil
}
