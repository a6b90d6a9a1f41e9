package runtime

import (
	"fmt"
	"slices"
	"testing"
)

func TestChangesHappenInTheOrderOfTheirCalls(t *testing.T) {
	l := newLab()
	out := l.run(t, `const names = Array.from({ length: 500 }, (_, i) => String(i));
const answers = await Promise.all(names.map(async name => {
  if (name === '250') await lab.change('fails').catch(() => {});
  return (await lab.change(name)).name;
}));
lab.change('not awaited'); lab.change('either');
return answers.join() === names.join();`)
	if out.Error != nil || string(out.Result) != "true" {
		t.Fatalf("answers %s, error %v", out.Result, out.Error)
	}
	var want []string
	for i := range 500 {
		if i == 250 {
			want = append(want, "fails")
			continue
		}
		want = append(want, fmt.Sprint(i))
	}
	want = append(want, "250", "not awaited", "either") // 250 waited for what failed
	if !slices.Equal(l.changed, want) {
		t.Errorf("happened as %v", l.changed)
	}
}
