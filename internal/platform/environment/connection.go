package environment

import "context"

// Connection is how programs reach a service in an environment.
type Connection struct {
	Variables []Variable  // environment variables for the service's official clients
	Tools     *ToolServer // nil for a service without tools
}

// Variable is an environment variable.
type Variable struct{ Name, Value string }

// ToolServer is a tool server over HTTP.
type ToolServer struct{ URL, Token string }

// Connected is an Instance that describes how programs reach it.
type Connected interface {
	// Connection returns how programs reach the instance. baseURL is the base URL of the service.
	Connection(ctx context.Context, baseURL string) (Connection, error)
}
