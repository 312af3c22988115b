package crm

// Pipeline is a sequence of stages that deals or tickets move through.
type Pipeline struct {
	ID           string   `json:"id"`
	Label        string   `json:"label"`
	DisplayOrder int      `json:"displayOrder"`
	Stages       []*Stage `json:"stages"`
	CreatedAt    int64    `json:"-"` // microseconds
	UpdatedAt    int64    `json:"-"`
}

// Stage is a step of a pipeline. Metadata has probability and isClosed for
// deals, ticketState and isClosed for tickets.
type Stage struct {
	ID           string            `json:"id"`
	Pipeline     string            `json:"-"`
	Label        string            `json:"label"`
	DisplayOrder int               `json:"displayOrder"`
	Metadata     map[string]string `json:"metadata"`
	CreatedAt    int64             `json:"-"`
	UpdatedAt    int64             `json:"-"`
}
