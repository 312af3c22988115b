// Package task reads tasks: files that describe a world, an agent's assignment in
// it, the people and programs around the agent, and how the outcome is graded.
//
// A running server grades tasks; the subpackages use its admin plane. Acts and
// checks are passed to the server unchanged.
package task

import (
	"encoding/json"
	"strconv"
	"time"

	"understudy/internal/platform/seeddoc"
)

// Task is a parsed task.
type Task struct {
	File
	file string        // its path as given
	dir  string        // of the file
	root *seeddoc.Node // the root node of the file
	exit *ExitStatus   // the expected exit status of the command
}

// File is the content of a task's file.
type File struct {
	Name        string         `seed:"task,required" doc:"Name of the task: letters, digits, dots, hyphens and underscores; unique among the files of a command."`
	World       World          `seed:"world,required" doc:"What every run begins with."`
	Fork        Fork           `seed:"fork" doc:"How the fork of a run differs from the world; members of POST …/fork."`
	Instruction string         `seed:"instruction" doc:"What the agent is asked to do."`
	As          string         `seed:"as" doc:"The person under whose name the agent works, such as messaging/jon.abel; the app of the environment unless given."`
	Before      []Act          `seed:"before" doc:"What people do before the command starts, in order."`
	Meanwhile   []Reaction     `seed:"meanwhile" doc:"What people do while the command runs, when something pops up for them."`
	App         *App           `seed:"app" doc:"A program that receives webhooks, commands and interactions of the world."`
	User        *User          `seed:"user" doc:"A program that plays one of the people."`
	Limits      Limits         `seed:"limits" doc:"When a run is ended."`
	Expect      []seeddoc.Raw  `seed:"expect" doc:"Expectations of a verdict; {\"exit\": 0} expects an exit status of the command."`
	NothingElse seeddoc.Raw    `seed:"nothing_else" doc:"As in a verdict: whether anything else may have changed."`
	Trajectory  []seeddoc.Raw  `seed:"trajectory" doc:"Rules of a verdict about the requests that the agent made."`
	Solution    seeddoc.Raw    `seed:"solution" doc:"A program that does the task, as a list of words or one path; understudy task check runs it twice."`
	Idle        string         `seed:"idle" enum:"fails,passes" doc:"How a run ends in which nothing is done; fails unless given."`
	Metadata    seeddoc.Object `seed:"metadata" doc:"Anything; it is shown in reports."`
}

// World is the initial world of every run of a task.
type World struct {
	Environment string `seed:"environment" doc:"Id or name of an environment of the server, in place of a new one."`
	Fixture     string `seed:"fixture" doc:"A bundled fixture, such as demo."`
	Document    string `seed:"document" doc:"Path of a seed document, from the folder of the task."`
	Seed        *int64 `seed:"seed" doc:"A number that ids and credentials begin from."`
	Clock       string `seed:"clock" doc:"A time (RFC 3339) at which the clock stands."`
	RateLimits  string `seed:"rate_limits" doc:"real, off or xN."`
}

// Fork is how the fork of a run differs from the world.
type Fork struct {
	Clock        string         `seed:"clock" doc:"A time (RFC 3339) at which the clock stands, or run."`
	Deliveries   string         `seed:"deliveries" enum:"on,off"`
	Destinations seeddoc.Object `seed:"destinations" doc:"Beginnings of webhook, command and interaction URLs, and what is put in their place."`
	Ephemeral    *bool          `seed:"ephemeral" doc:"Whether the fork is kept in memory alone; true unless given."`
	Faults       seeddoc.Raw    `seed:"faults" doc:"inherit, none, or a list of fault rules in place of the world's."`
	RateLimits   string         `seed:"rate_limits" doc:"real, off or xN."`
	Recordings   string         `seed:"recordings" enum:"full,recent" doc:"How many requests are recorded; full unless given."`
	Seed         seeddoc.Raw    `seed:"seed" doc:"A number that ids of the fork begin from, or each: the seed of the world and the number of the run, added."`
	Snapshot     string         `seed:"snapshot" doc:"Id of a snapshot of the environment to begin with."`
	TTLSeconds   *float64       `seed:"ttl_seconds" doc:"When the server deletes the fork; 600 seconds after the limit unless given."`
}

// Act is an act of a person: exactly one, with its members as over HTTP.
type Act struct {
	As     string `seed:"as" doc:"A name for the reply: $name stands for its message, $name.ts for a member."`
	Person string `seed:"person" doc:"Who does it, such as messaging/jon.abel."`
	Tenant string `seed:"tenant" doc:"The workspace of the person, where the world has several."`

	Say      seeddoc.Object `seed:"say"`
	Edit     seeddoc.Object `seed:"edit"`
	Delete   seeddoc.Object `seed:"delete"`
	React    seeddoc.Object `seed:"react"`
	Click    seeddoc.Object `seed:"click"`
	Choose   seeddoc.Object `seed:"choose"`
	Shortcut seeddoc.Object `seed:"shortcut"`
	Run      seeddoc.Object `seed:"run"`
	Join     seeddoc.Object `seed:"join"`
	Leave    seeddoc.Object `seed:"leave"`
	Read     seeddoc.Object `seed:"read"`

	At seeddoc.Pos
}

// Reaction is what people do when a message arrives in the inbox of one of them.
type Reaction struct {
	When  When   `seed:"when,required"`
	Then  []Act  `seed:"then,required" doc:"Acts, in order; of the same person unless they name another. $message is what popped up."`
	Times *int64 `seed:"times" doc:"How often at most; 1 unless given."`

	At seeddoc.Pos
}

// When describes an inbox item of a person.
type When struct {
	Person  string  `seed:"person,required" doc:"For whom it pops up, such as messaging/jon.abel."`
	Tenant  string  `seed:"tenant" doc:"The workspace of the person, where the world has several."`
	Message Message `seed:"message"`
}

// Message describes a message.
type Message struct {
	Kind    string      `seed:"kind" enum:"message,ephemeral,response,mention,direct"`
	Channel string      `seed:"channel" doc:"#name, an id, or @handle for a direct conversation."`
	From    string      `seed:"from" doc:"@handle, id or e-mail address."`
	Thread  string      `seed:"thread" doc:"ts of the thread's first message, such as $question.ts."`
	Plain   seeddoc.Raw `seed:"plain" doc:"A matcher of what a reader sees."`
	Text    seeddoc.Raw `seed:"text" doc:"The same."`
}

// App is a program under test that the world calls.
type App struct {
	Command []string `seed:"command,required" doc:"Program and arguments; it runs in the folder of the task and listens on the port of the variable PORT."`
	Ready   string   `seed:"ready" enum:"port" doc:"How a run knows that it is ready: port waits until it accepts connections."`
	Serves  string   `seed:"serves,required" doc:"Beginning of the URLs in the world that lead to it, such as http://bot.invalid."`
	App     string   `seed:"app" doc:"Name or id of the app whose token and signing secret it gets; the default app unless given."`
}

// User is a program that plays a person.
type User struct {
	Command []string `seed:"command,required" doc:"Program and arguments; it runs in the folder of the task, beside the agent."`
	Person  string   `seed:"person,required" doc:"Whom it plays, such as messaging/jon.abel: it gets a session in UNDERSTUDY_PERSON_TOKEN."`
	Tenant  string   `seed:"tenant" doc:"The workspace of the person, where the world has several."`
}

// Limits are the limits that end a run.
type Limits struct {
	Seconds  *float64 `seed:"seconds" doc:"How long the command may run."`
	Requests *int64   `seed:"requests" doc:"How many requests the agent may make."`
}

// ExitStatus is the expectation of the command's exit status.
type ExitStatus struct {
	Index  int // index among the expectations
	Name   string
	Status int
	Weight float64
	Gate   bool
}

// ID returns the id of its check.
func (x *ExitStatus) ID() string { return "expect[" + strconv.Itoa(x.Index) + "]" }

// Limit returns the time limit of the command: the task's, or else standard.
func (t *Task) Limit(standard time.Duration) time.Duration {
	if t.Limits.Seconds == nil {
		return standard
	}
	return time.Duration(*t.Limits.Seconds * float64(time.Second))
}

// SeedOf returns the seed of a run; nil without one.
func (t *Task) SeedOf(run int) *int64 {
	var given int64
	switch {
	case string(t.Fork.Seed) == `"each"`:
		if t.World.Seed != nil {
			given = *t.World.Seed
		}
		given += int64(run)
		return &given
	case t.Fork.Seed != nil && json.Unmarshal(t.Fork.Seed, &given) == nil:
		return &given
	}
	return t.World.Seed
}
