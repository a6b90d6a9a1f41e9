package sandboxd_test

import (
	"os"
	"testing"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/engine/enginetest"
)

func TestMain(m *testing.M) {
	sandboxd.Worker() // the tests' workers are this test binary
	enginetest.Use()
	os.Exit(m.Run())
}
