// Package engine executes GraphQL documents against a schema whose fields are
// bound to Go getters. It knows GraphQL and nothing of what it serves.
//
// # Binding
//
// A schema is bound once, at start-up. Build fails with a list of every field
// that has no getter and every getter that does not fit its field's type:
//
//	b, err := engine.NewBuilder(sdl)
//	b.Scalar("DateTime", engine.Scalar{Parse: parseTime})
//
//	users := &engine.Loader[string, User]{Load: loadUsers, Peek: peekUsers}
//
//	issue := engine.Object[Issue](b, "Issue")
//	issue.Field("id", func(i *Issue) string { return i.ID })
//	issue.Field("title", func(i *Issue) string { return i.Title })
//	issue.Field("dueDate", func(i *Issue) *string { return i.DueDate }) // nil is null
//	issue.Field("labelIds", func(i *Issue) []string { return i.LabelIDs })
//	engine.ResolveField(issue, "branchName", func(c *engine.Call, i *Issue) (string, error) { … })
//	issue.Const(false, "inheritsSharedAccess")
//	issue.Null("favorite", "lastAppliedTemplate")
//	issue.Empty("reactions")
//	b.Stub("Favorite", "Template", "Reaction") // types without values
//	engine.Ref(issue, "assignee", users, func(i *Issue) string { return i.AssigneeID }) // "" is null
//	engine.Ref(issue, "creator", users, func(i *Issue) string { return i.CreatorID })
//	engine.Link(issue, "comments", func(c *engine.Call, parents []*Issue) ([]*engine.Page[*Comment], error) { … })
//	engine.One(issue, "sharedAccess", func(i *Issue) *Sharing { return &i.Sharing })
//
//	engine.Connection[*Issue](b, "IssueConnection") // nodes, edges, pageInfo
//	engine.Query(b, "issue", func(c *engine.Call) (*Issue, error) {
//		return engine.State[*session](c).Issue(c, c.Args.String("id"))
//	})
//	engine.Query(b, "issues", func(c *engine.Call) (*engine.Page[*Issue], error) { … })
//	engine.Mutation(b, "issueCreate", func(c *engine.Call) (*Payload, error) { … })
//	engine.ResolveField(b.Query, "version", func(*engine.Call, *engine.Root) (string, error) { … })
//
//	e, err := b.Build(engine.Options{Cost: rule, Present: present})
//
// Field binds scalars, enums and lists of these. ResolveField binds a scalar or an enum
// whose getter needs the Call or can fail. One and Many bind objects that the parent
// holds, Ref objects by key. Link and LinkList call a getter once for all parents of a
// level, Resolve and ResolveList once for each. A getter of an interface or union returns
// values of an interface type, such as any; the Go type determines the object type.
//
// # Running
//
//	p, rejection := e.Prepare(request)      // parsed, checked, planned; from the cache when seen before
//	if rejection != nil { … rejection.Stage, rejection.AppendJSON(buf) }
//	p.Cost(), p.Mutates(), p.RootFields()   // to charge and to refuse before anything runs
//	result := p.Execute(ctx, state, buf)    // result.JSON, result.Errors, result.Points
//
// Execution has two phases. The first loads, level by level: a field is asked
// once for all objects of its level, and all fields of a depth that share a
// Loader share one call of it, so that the number of calls follows from the
// document and not from the rows. The second writes the reply depth first into
// one buffer; a null that may not be takes what was written of its parent back.
//
// Getters answer errors of any kind; Options.Present returns their message
// and extensions. A getter may also answer an *Error, whose message and
// extensions are shown. A panic is an error of its field.
//
// # Limits
//
// Before validation a document is measured (Options): bytes, tokens, depth,
// fields with fragments opened, and how often one response name stands in one
// selection, since the rule that compares those is quadratic. Lists of lists of
// objects, subscriptions, @defer and schema extensions at run time are not served.
package engine
