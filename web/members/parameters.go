package members

import (
	"mooring/placements"
	"mooring/storage/record"
	"mooring/web/bind"
)

// What a value of a parameter may be in JSON.
var (
	scalars = bind.JSONKinds{Begin: "\"0tf", Words: "a text, a number, true or false"}
	values  = bind.JSONKinds{Begin: "\"0tf[", Words: "a text, a number, true, false or an array of these"}
)

// parameters names those of a report.
func parameters(o *bind.Object, in *record.ReportInput) {
	Declared(o, "parameters", in)
}

// Declared names the parameters of a report under another name, where "parameters" are values.
func Declared(o *bind.Object, name string, in *record.ReportInput) {
	bind.OptionalObjects(o, name, &in.Parameters, 0, parameter)
}

// parameter names what a report says of one of its parameters. What the values may be is placements' to judge.
func parameter(o *bind.Object, in *placements.Parameter) {
	o.Required("name", "type")
	bind.Text(o, "name", &in.Name, bind.AnyLength)
	bind.Text(o, "title", &in.Title, bind.AnyLength)
	bind.Text(o, "type", &in.Type, bind.AnyLength)
	o.Flag("list", &in.List)
	bind.Value(o, "default", &in.Default, values)
	bind.ValueList(o, "allowed", &in.Allowed, scalars)
	o.Flag("fromCells", &in.FromCells)
}

// Settings names what a placement says of parameters.
func Settings(o *bind.Object, in *placements.Optional[placements.ParameterSettings]) {
	var sent placements.Optional[map[string]placements.ParameterSetting]
	bind.ObjectsByName(o, "parameters", &sent, placements.MaxParameters, setting)
	if sent.Sent {
		*in = placements.Optional[placements.ParameterSettings]{Sent: true}
		if sent.Value != nil {
			in.Value = new(placements.ParameterSettings(*sent.Value))
		}
	}
}

func setting(o *bind.Object, in *placements.ParameterSetting) {
	bind.Value(o, "value", &in.Value, values)
	bind.Text(o, "cell", &in.Cell, MaxName)
}

// NoSettings refuses values of parameters where a request takes none: it would do without them.
func NoSettings(o *bind.Object) {
	o.Refused("parameters", "are said of placements, and runs take the values that these say: leave them out, and connect the placement with them")
}

// Values names the values of parameters that a request is to be answered with.
func Values(o *bind.Object, in *map[string]placements.ParameterValue) {
	bind.Values(o, "parameters", in, placements.MaxParameters, values)
}
