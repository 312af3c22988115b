package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"understudy/internal/task/outcome"
	"understudy/internal/task/plane"
)

type suites struct {
	XMLName  xml.Name `xml:"testsuites"`
	Name     string   `xml:"name,attr"`
	Tests    int      `xml:"tests,attr"`
	Failures int      `xml:"failures,attr"`
	Errors   int      `xml:"errors,attr"`
	Time     string   `xml:"time,attr"`
	Suites   []suite  `xml:"testsuite"`
}

type suite struct {
	Name     string `xml:"name,attr"`
	Tests    int    `xml:"tests,attr"`
	Failures int    `xml:"failures,attr"`
	Errors   int    `xml:"errors,attr"`
	Time     string `xml:"time,attr"`
	Stamp    string `xml:"timestamp,attr"`
	File     string `xml:"file,attr"`
	Cases    []kase `xml:"testcase"`
}

type kase struct {
	Name       string     `xml:"name,attr"`
	Class      string     `xml:"classname,attr"`
	Time       string     `xml:"time,attr"`
	Properties []property `xml:"properties>property"`
	Failure    *trouble   `xml:"failure"`
	Error      *trouble   `xml:"error"`
	Output     string     `xml:"system-out,omitempty"`
}

type property struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type trouble struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
}

// JUnit writes the report in JUnit's format: a suite for each task, a case for
// each run.
func (r *Report) JUnit(w io.Writer) error {
	all := suites{Name: "understudy", Time: fmt.Sprintf("%.3f", r.Seconds)}
	for i, t := range r.Tasks {
		f := r.Figures[i]
		s := suite{Name: t.Name, File: t.File, Stamp: r.Started.Format("2006-01-02T15:04:05"), Tests: f.Runs, Failures: f.Failed + f.Timeout, Errors: f.Error}
		took := 0.0
		for _, run := range r.RunsOf(t.Name) {
			took += run.Seconds
			s.Cases = append(s.Cases, caseOf(&run))
		}
		s.Time = fmt.Sprintf("%.3f", took)
		all.Tests, all.Failures, all.Errors = all.Tests+s.Tests, all.Failures+s.Failures, all.Errors+s.Errors
		all.Suites = append(all.Suites, s)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func caseOf(run *outcome.Run) kase {
	k := kase{Name: fmt.Sprintf("%s run %d", run.Task, run.Number), Class: run.Task, Time: fmt.Sprintf("%.3f", run.Seconds), Output: run.Output,
		Properties: []property{{"environment", run.Environment}, {"score", fmt.Sprint(run.Score)}, {"requests", fmt.Sprint(run.Requests)}, {"firings", fmt.Sprint(run.Firings)}}}
	if run.Seed != nil {
		k.Properties = append(k.Properties, property{"seed", fmt.Sprint(*run.Seed)})
	}
	t := &trouble{Message: run.Why(), Type: string(run.State)}
	if run.Verdict != nil {
		if n := run.Verdict.Counts.CameAndWent; n > 0 {
			k.Properties = append(k.Properties, property{"came_and_went", fmt.Sprint(n)})
		}
		var texts []string
		for _, c := range run.Verdict.Checks {
			if c.Passed != nil && *c.Passed {
				continue
			}
			texts = append(texts, CheckText(&c))
		}
		t.Text = strings.Join(texts, "\n")
	}
	switch run.State {
	case outcome.Failed, outcome.Timeout:
		k.Failure = t
	case outcome.Error:
		k.Error = t
	}
	return k
}

// CheckText returns a check with its evidence, one line for each item.
func CheckText(c *plane.Check) string {
	result := "undecided"
	if c.Passed != nil {
		result = map[bool]string{true: "ok", false: "FAILED"}[*c.Passed]
	}
	lines := []string{result + " " + c.ID}
	for _, more := range []string{c.Name, c.Message} {
		if more != "" {
			lines[0] += ": " + more
		}
	}
	for _, one := range c.Evidence.Matched {
		lines = append(lines, "  matched "+thingText(one))
	}
	for _, near := range c.Evidence.Near {
		lines = append(lines, "  near "+near.Key+causeText(near.Cause))
		for _, d := range near.Failed {
			lines = append(lines, fmt.Sprintf("    %s: wanted %s, found %s", d.Field, d.Wanted, d.Found))
		}
	}
	for _, one := range c.Evidence.Left {
		lines = append(lines, "  left "+thingText(one))
	}
	for _, one := range c.Evidence.Requests {
		lines = append(lines, "  request "+callText(one))
	}
	if c.Evidence.Answer != nil {
		lines = append(lines, fmt.Sprintf("  answer %q", *c.Evidence.Answer))
	}
	return strings.Join(lines, "\n")
}

func thingText(t plane.Thing) string {
	return strings.TrimSpace(strings.Join([]string{t.Op, t.Service + "." + t.Entity, t.Key}, " ")) + causeText(t.Cause)
}

func causeText(calls []plane.Call) string {
	texts := make([]string, len(calls))
	for i, c := range calls {
		texts[i] = callText(c)
	}
	if len(texts) == 0 {
		return ""
	}
	return " by " + strings.Join(texts, ", ")
}

func callText(c plane.Call) string {
	text := fmt.Sprintf("request %d", c.Seq)
	if c.Operation != "" {
		text = fmt.Sprintf("%s (request %d)", c.Operation, c.Seq)
	}
	if c.Status != 0 {
		text += fmt.Sprintf(" answered %d", c.Status)
	}
	return text
}
