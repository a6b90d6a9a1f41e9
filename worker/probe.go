package worker

import (
	"context"

	"github.com/sandboxd/sandboxd/host/frame"
)

// probe is the role in which Doctor tries what a worker must not be able to do.
type probe struct{ silent }

func (*probe) Handle(_ context.Context, req frame.Request) (frame.Reply, error) {
	return frame.Reply{}, unknownMethod(req.Method)
}
