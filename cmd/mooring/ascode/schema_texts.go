package ascode

// schemaText is what an editor says of a kind of files and of its keys, by their paths.
type schemaText struct {
	title, description string
	keys               map[string]string
}

// schemaTexts are those of all kinds of files.
var schemaTexts = map[string]schemaText{
	"project": {
		"A project of Mooring", "project.yaml: what makes a folder a project, and where it is applied.",
		map[string]string{
			"project":                 "The project's name, by which the server knows what it manages.",
			"server":                  "The address of the server, such as https://acme.example.com. MOORING_SERVER goes before it.",
			"default":                 "The environment that commands take without --env.",
			"environments":            "The deployments that the folder is applied to, by names of your choice.",
			"environments.deployment": "The number of the deployment.",
			"environments.ids":        "derived: publicIds are made from those of the files. A second environment of one account needs that.",
			"environments.values":     "What ${NAME} stands for where a document is named.",
			"environments.roles":      "The ids of the roles that files name.",
			"prune":                   "How much a plan with --prune may delete.",
			"prune.limit":             "A number of assets, or a share such as \"10%\". Without it, the larger of 5 and 10%.",
			"external":                "The publicIds of reports that charts name and other projects keep.",
		},
	},
	"report": {
		"A report", "What is asked of a source. Its SQL stands in the file of the same name that ends with .sql, or under sql.",
		map[string]string{
			"publicId":               "12 letters and digits of your choice, by which everything names the report.",
			"name":                   "What people find the report by.",
			"title":                  "The heading that dashboards show.",
			"description":            "What the report is about.",
			"source":                 "Where the report was made.",
			"folderId":               "The id of the folder that it lies in.",
			"protect":                "true: no plan deletes it.",
			"rowKey":                 "The columns that tell rows apart, so that edits and formulas follow their row.",
			"pivot":                  "How the result becomes a table.",
			"pivot.rows":             "The columns whose values begin the rows.",
			"pivot.columns":          "The columns whose values become columns.",
			"pivot.measures":         "The columns with what is shown.",
			"pivot.filters":          "The columns that are filtered by.",
			"pivot.showColumnTotals": "true: the last row has the totals of the columns.",
			"pivot.displayScale":     "The scale that numbers are shown in.",
			"pivot.measuresAxis":     "Where the names of measures stand.",
			"pivot.measuresPosition": "Whether they stand before or after the values beside them.",
			"query":                  "The query of a semantic model, as keys and values or as a text of JSON.",
			"sql":                    "The SQL. null: the report has no query.",
			"access":                 "What roles may do, by the names that the environment has for them.",
			"meta":                   "What other programs keep with the report.",
		},
	},
	"workbook": {
		"A workbook", "A workbook and the draft of its dashboard; mooring publish publishes it.",
		map[string]string{
			"slug":                  "The name in the workbook's address.",
			"name":                  "What people find the workbook by.",
			"folderId":              "The id of the folder that it lies in.",
			"protect":               "true: no plan deletes it.",
			"meta":                  "What other programs keep with the workbook. Only what the file says is compared.",
			"dashboard":             "The draft of the dashboard.",
			"dashboard.title":       "The dashboard's heading.",
			"dashboard.description": "What it is about.",
			"dashboard.settings":    "How it behaves.",
			"dashboard.theme":       "How it looks.",
			"dashboard.layout":      "Where its widgets stand.",
			"dashboard.widgets":     "Its parts. One of type CHART names its report: config: {report: PUBLICID}.",
			"dashboard.app":         "What an app of its own shows instead.",
		},
	},
	"placements": {
		"Placements", "Where reports stand in one document.",
		map[string]string{
			"document":             "The document's id or name. ${NAME} takes a value of the environment.",
			"host":                 "The kind of spreadsheet: google or excel, which are SHEETS_A and SHEETS_B in the interface.",
			"items":                "The blocks, one for each place.",
			"items.report":         "The publicId of the report.",
			"items.sheet":          "The name of the sheet.",
			"items.at":             "The cell of the block's upper left corner, such as B2.",
			"items.protect":        "true: no plan deletes it.",
			"items.onEdit":         "What a refresh does with cells that people edited: keep them, overwrite them, or stop.",
			"items.shiftRows":      "true: what stands below moves with the number of rows.",
			"items.statusCell":     "A cell that says when the block was refreshed, such as B1.",
			"items.fillRight":      "The columns beside the block whose formulas follow its rows, such as F:H.",
			"items.breakSignature": "true: a refresh writes a signed workbook, which ends its signature.",
		},
	},
	"schedule": {
		"A schedule", "When blocks are refreshed.",
		map[string]string{
			"key":             "The name of the schedule in addresses.",
			"name":            "What people find the schedule by.",
			"cron":            "When it fires: minute, hour, day, month and weekday, or @daily and the like; one, or a list.",
			"timezone":        "The zone of these times, such as Europe/Berlin. Without it, the deployment's.",
			"target":          "What is refreshed.",
			"target.report":   "The publicId of the report.",
			"target.document": "Only its blocks in this document. ${NAME} takes a value of the environment.",
			"target.at":       "Only the block there, such as Data!B2.",
			"catchUp":         "What becomes of times that were missed: the latest is made up for, all are, or they are skipped.",
			"overlap":         "What happens when the run before is still at work: skip this one, or queue it.",
			"onEdit":          "What its refreshes do with cells that people edited, instead of what each block says.",
			"shiftRows":       "Whether its refreshes move what stands below, instead of what each block says.",
			"breakSignature":  "Whether its refreshes may write a signed workbook, instead of what each block says.",
			"jitterSeconds":   "The most seconds that a run begins late, so that many do not begin at once.",
			"paused":          "true: it does not fire.",
			"protect":         "true: no plan deletes it.",
		},
	},
}
