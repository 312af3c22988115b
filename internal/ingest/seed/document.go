// Package seed declares the part of a seed document about ingestion. It contains no
// rules: the service checks and applies the document.
package seed

import "understudy/internal/platform/seeddoc"

// Document is the part of a seed document about ingestion.
type Document struct {
	seeddoc.Pos
	Sessions seeddoc.Named[Session] `seed:"sessions" doc:"Conversations of the default project."`
}

// Session is a conversation with its events.
type Session struct {
	seeddoc.Pos
	ID       string         `seed:"id" doc:"A UUID; made up when left out."`
	User     string         `seed:"user,required" doc:"The user_id of the wire, such as an e-mail address."`
	Traits   seeddoc.Object `seed:"traits" doc:"Further user_data."`
	Client   string         `seed:"client" doc:"The client_config of the wire."`
	Metadata seeddoc.Object `seed:"metadata"`
	Started  seeddoc.Time   `seed:"started,past" doc:"The time of its first event when left out."`
	Events   []Event        `seed:"events"`
}

// Event is a turn-pair or a tool call.
type Event struct {
	seeddoc.Pos
	Key          string         `seed:"key" doc:"A name by which other events refer to it."`
	ID           string         `seed:"id" doc:"A UUID; made up when left out."`
	Parent       seeddoc.Ref    `seed:"parent" doc:"Key of the event that triggered this one, for one that does not stand among its children."`
	Name         string         `seed:"name,required" doc:"Of the agent or the tool."`
	Type         string         `seed:"type" doc:"The primitive_type of the wire, such as tool."`
	Model        string         `seed:"model"`
	Customer     string         `seed:"customer"`
	User         string         `seed:"user" doc:"The session's when left out."`
	Args         seeddoc.Raw    `seed:"args" doc:"A text is kept as it is, anything else as JSON."`
	Result       seeddoc.Raw    `seed:"result" doc:"As args."`
	Failed       bool           `seed:"failed"`
	At           seeddoc.Time   `seed:"at,past" doc:"When it began; the time of its parent, or else of its session, when left out."`
	LatencyMS    *int64         `seed:"latency_ms"`
	InputTokens  *int64         `seed:"input_tokens"`
	OutputTokens *int64         `seed:"output_tokens"`
	Metadata     seeddoc.Object `seed:"metadata"`
	Checkpoints  []Checkpoint   `seed:"checkpoints"`
	Children     []Event        `seed:"children" doc:"The events that it triggered."`
}

// Checkpoint is a mark on the timeline of an event.
type Checkpoint struct {
	seeddoc.Pos
	Name     string         `seed:"name,required"`
	OffsetMS float64        `seed:"offset_ms" doc:"From the beginning of the event."`
	Metadata seeddoc.Object `seed:"metadata"`
}
