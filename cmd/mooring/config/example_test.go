package config_test

import (
	"fmt"

	"mooring/cmd/mooring/config"
)

func ExampleParse() {
	text := "listen: localhost\n" +
		"redis: ${REDIS}\n" +
		"tenants: {acme: {deployments: {1: {timezone: Mars/Olympus}}}}\n"
	env := func(name string) (string, bool) { return "redis://db:6379", name == "REDIS" }
	_, err := config.Parse("/etc/mooring/mooring.yaml", []byte(text), env, config.Drivers{})
	fmt.Println(err)
	// Output:
	// mooring.yaml:1:9: listen: expected an address with a port, such as 127.0.0.1:8080
	// mooring.yaml:3:46: deployment 1: "Mars/Olympus" is no time zone; write one such as Europe/Berlin
}
