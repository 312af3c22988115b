package webapi

func searchMessages(c *call) (*reply, error) { return ok(), nil }
