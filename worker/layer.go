package worker

// Layer is one layer of hardening and whether it holds.
type Layer struct {
	Name  string `json:"name"`
	State State  `json:"state"`
	Why   string `json:"why,omitempty"` // what it does when on, and otherwise why it is not
}

// State of a layer.
type State string

// The states. NotAvailable is for what this machine cannot do, Off for what was left out
// or did not take.
const (
	On           State = "on"
	Off          State = "off"
	NotAvailable State = "not available here"
)

func layer(name string, err error, why string) Layer {
	if err != nil {
		return Layer{Name: name, State: NotAvailable, Why: err.Error()}
	}
	return Layer{Name: name, State: On, Why: why}
}
