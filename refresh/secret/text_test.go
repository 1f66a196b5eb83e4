package secret_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"mooring/refresh/secret"
)

func Example() {
	token := secret.Text("hunter2")
	fmt.Println(token, len(string(token)))
	// Output: *** 7
}

func TestATextIsNotPrinted(t *testing.T) {
	config := struct{ URL, Token secret.Text }{"https://hunter2/", "hunter2"}
	asJSON, err := json.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	asYAML, err := yaml.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	slog.New(slog.NewTextHandler(&log, nil)).Info("opened", "source", config, "token", config.Token)
	slog.New(slog.NewJSONHandler(&log, nil)).Info("opened", "source", config, "token", config.Token)
	for _, printed := range []string{
		fmt.Sprint(config), fmt.Sprintf("%+v", config), fmt.Sprintf("%#v", config), fmt.Sprintf("%q", config.Token),
		string(asJSON), string(asYAML), log.String(), config.Token.String(),
	} {
		if strings.Contains(printed, "hunter2") {
			t.Errorf("shown: %s", printed)
		}
	}
}
