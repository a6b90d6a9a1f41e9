package sandboxd_test

import (
	"os"
	"testing"

	"github.com/sandboxd/sandboxd"
)

func TestMain(m *testing.M) {
	sandboxd.Worker() // the tests' workers are this test binary
	os.Exit(m.Run())
}
