//go:build unix

package attack

import (
	"encoding/json"
	"fmt"
	"strings"

	"mooring/storage/record/recordtest"
)

// quoting are expressions whose errors quote what they were given, which is a text of rows; %s stands for it.
var quoting = []string{
	"(%s)::regclass", "(%s)::regproc", "(%s)::regtype", "(%s)::regrole", "(%s)::regnamespace", "(%s)::regconfig", "(%s)::regoper", "(%s)::regdictionary",
	"(%s)::integer", "(%s)::bigint", "(%s)::numeric", "(%s)::real", "(%s)::boolean", "(%s)::uuid", "(%s)::date", "(%s)::timestamptz", "(%s)::time",
	"(%s)::interval", "(%s)::inet", "(%s)::cidr", "(%s)::macaddr", "(%s)::json", "(%s)::jsonb", "(%s)::jsonpath", "(%s)::xml", "(%s)::point", "(%s)::box",
	"(%s)::circle", "(%s)::money", "(%s)::bit(8)", "(%s)::oid", "(%s)::xid", "(%s)::tid", "(%s)::pg_lsn", "(%s)::int4range", "(%s)::integer[]", "(%s)::tsquery",
	"to_regclass(%s)::oid::text || (%s)::int2", "nextval(%s)", "current_setting(%s)", "to_date(%s, 'YYYY')", "decode(%s, 'hex')", "'a' ~ ((%s) || '(')",
	"to_timestamp(%s, 'YYYY-MM-DD')", "format('%%' || (%s), 1)", "has_table_privilege(%s, 'select')", "pg_get_viewdef(%s)", "to_tsquery(%s)",
	"xpath('/a', ('<a>' || (%s))::xml)::text", "query_to_xml('SELECT ' || (%s), true, true, '')", "convert_from((%s)::bytea, %s)", "timezone(%s, now())",
	"make_interval(0) + (%s)::interval", "jsonb_path_query('{}', ('$.' || (%s) || '(')::jsonpath)", "set_config(%s, 'x', true)", "pg_read_file(%s)",
	"date_trunc(%s, now())", "extract(epoch from (%s)::date)", "to_char(1, %s)::integer", "ascii(%s)::boolean::text || (%s)::smallint", "lo_get((%s)::oid)",
}

// quoteRows has an editor, who sees a row of the table, make queries whose errors quote rows of the person on whose behalf they are asked, and
// readers look at what came of them.
func (a *attacker) quoteRows() {
	for i, expression := range quoting {
		if !a.whole && i%6 != 0 {
			continue
		}
		rows := "SELECT string_agg(item, ',') FROM sales"
		query := "SELECT " + strings.ReplaceAll(strings.ReplaceAll(expression, "%%", "%"), "%s", "("+rows+")") + " AS told"
		r := a.newReport(1, "SELECT 1 AS told")
		document := fmt.Sprintf("told-%d.xlsx", i)
		a.workbook(document, nil)
		placement := r.place(recordtest.Boss, document, "B2")
		body, _ := json.Marshal(map[string]string{"sqlQuery": query})
		a.must("an editor", "PUT", r.path, string(body))
		r.run("an editor", placement, "")
		for _, who := range []string{"an editor", recordtest.Reader, "one who reads all"} {
			r.look(who, placement, document)
			r.send(who, "POST", r.path+"/result", `{}`)
		}
		plan, _ := json.Marshal(map[string]any{"project": "told", "assets": []any{map[string]any{
			"kind": "report", "ref": fmt.Sprintf("Told%08d", i), "definition": map[string]string{"name": "Told", "sqlQuery": query},
		}}})
		a.send("an editor", "POST", plansPath, string(plan))
		a.must(recordtest.Owner, "DELETE", r.path+"?force=true", "") // what it shows is not shown beside the next one
		a.tries(5, "errors that quote rows", a.takeLeaks())
	}
}
