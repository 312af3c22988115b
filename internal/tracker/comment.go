package tracker

import (
	"context"
	"encoding/json"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/opt"
	"understudy/internal/tracker/entity"
)

// Comment is a comment on an issue or a project. Replies refer to the first
// comment of a thread.
type Comment struct {
	entity.Base
	Issue            string
	Project          string
	Team             string // of the issue
	Parent           string
	User             string
	Body             string
	QuotedText       string
	Edited           int64
	Resolved         int64
	ResolvingUser    string
	ResolvingComment string

	Address string
}

// BodyData returns the body as a rich-text document in JSON, with one paragraph.
func (c *Comment) BodyData() string {
	content := []any{}
	if c.Body != "" {
		content = append(content, map[string]any{"type": "text", "text": c.Body})
	}
	raw, _ := json.Marshal(map[string]any{"type": "doc", "content": []any{map[string]any{"type": "paragraph", "content": content}}})
	return string(raw)
}

// CreateComment is an input of commentCreate.
type CreateComment struct {
	ID, Body, Issue, Project, Parent, QuotedText string
	CreatedAt                                    opt.Opt[int64]
	DoNotSubscribe                               bool
	Subscribers                                  []string
}

// UpdateComment is an input of commentUpdate.
type UpdateComment struct {
	Body, QuotedText                opt.Opt[string]
	ResolvingUser, ResolvingComment opt.Opt[string]
	Subscribers                     opt.Opt[[]string]
	SkipEditedAt                    bool
}

// CommentByHash returns the comment whose id begins with the eight digits in hash.
// Links to comments end with these digits. It returns NotFound.
func (v *View) CommentByHash(hash string) (*Comment, error) {
	if len(hash) != 8 {
		return nil, notFound("Comment")
	}
	found, err := Comments.Where(v, "t.id >= ? AND t.id < ?", lower(hash), lower(hash)+"~")
	if err != nil || len(found) == 0 {
		return nil, orElse(err, notFound("Comment"))
	}
	return Comments.Get(v, found[0].ID)
}

// FirstComment returns the oldest comment of an issue, by the issue's id or
// identifier. It returns NotFound for the issue, or for an issue without
// comments.
func (v *View) FirstComment(issue string) (*Comment, error) {
	i, err := v.Issue(issue)
	if err != nil {
		return nil, err
	}
	one := 1
	pages, err := Comments.Of(v, "issue", []string{i.ID}, entity.Query{Last: &one})
	if err != nil {
		return nil, err
	}
	if len(pages[i.ID].Nodes) == 0 {
		return nil, notFound("Comment")
	}
	return pages[i.ID].Nodes[0], nil
}

// CreateComment adds a comment or a reply. It returns NotFound for its target,
// BadInput without exactly one target, BadArgument, Taken.
func (t *Tracker) CreateComment(ctx context.Context, p *auth.Principal, in CreateComment) (*Change[Comment], error) {
	return changed(t, ctx, p, Comments, func(w *writer) (*Comment, error) { return w.createComment(in) })
}

func (w *writer) createComment(in CreateComment) (*Comment, error) {
	id, err := w.newID(in.ID)
	if err != nil {
		return nil, err
	}
	if err := required("body", in.Body, 65_536); err != nil {
		return nil, err
	}
	c := &Comment{Base: w.fresh(id), User: w.Caller, Body: in.Body, QuotedText: in.QuotedText}
	if at, ok := in.CreatedAt.Get(); ok {
		if at > w.Micros() {
			return nil, badArgument("createdAt", "createdAt must be in the past")
		}
		c.Created = at
	}
	issue, err := w.target(c, in)
	if err != nil {
		return nil, err
	}
	if issue != nil {
		if issue, err = w.wake(issue); err != nil {
			return nil, err
		}
		if err := w.subscribeAll(issue, in.Subscribers, !in.DoNotSubscribe); err != nil {
			return nil, err
		}
	}
	if err := w.commentChanged(c); err != nil {
		return nil, err
	}
	return created(w, Comments, c)
}

// commentChanged marks the words of an issue's comments for the search index.
func (w *writer) commentChanged(c *Comment) error {
	if c.Issue == "" {
		return nil
	}
	return w.reindex(c.Issue, false)
}

// target sets the issue, project and parent of a comment from an input. It returns the
// issue, nil for a comment on a project.
func (w *writer) target(c *Comment, in CreateComment) (*Issue, error) {
	if in.Parent != "" {
		parent, err := Comments.Get(w.View, in.Parent)
		if err != nil {
			return nil, orElse(passing(err), notFoundIn("Comment", "parentId"))
		}
		if parent.Parent != "" { // a thread has one level
			if parent, err = Comments.Get(w.View, parent.Parent); err != nil {
				return nil, err
			}
		}
		c.Parent, c.Issue, c.Project, c.Team = parent.ID, parent.Issue, parent.Project, parent.Team
		return Issues.Find(w.View, c.Issue)
	}
	switch {
	case (in.Issue == "") == (in.Project == ""):
		return nil, badInput("Exactly one of issueId and projectId must be given.")
	case in.Project != "":
		p, err := w.Project(in.Project)
		if err != nil {
			return nil, err
		}
		c.Project = p.ID
		return nil, nil
	}
	issue, err := w.Issue(in.Issue)
	if err != nil {
		return nil, err
	}
	c.Issue, c.Team = issue.ID, issue.Team
	return issue, nil
}

// subscribeAll subscribes users to an issue, and the caller too if caller is set.
func (w *writer) subscribeAll(old *Issue, users []string, caller bool) error {
	i := *old
	if caller {
		users = append([]string{w.Caller}, users...)
	}
	if err := w.fillSubscribers(&i, nil, WriteIssue{Subscribers: opt.Some(append(entity.Split(i.SubscriberIDs), users...))}); err != nil {
		return err
	}
	_, err := w.saveIssue(old, &i, "update")
	return err
}

// mayEdit returns Forbidden unless the caller is the author or an admin.
func (w *writer) mayEdit(c *Comment) error {
	if c.User != w.Caller && !w.viewer.Admin {
		return Forbidden.Detailf("Only the author and admins may change a comment.")
	}
	return nil
}

// UpdateComment changes a comment. It returns NotFound, Forbidden, BadArgument.
func (t *Tracker) UpdateComment(ctx context.Context, p *auth.Principal, id string, in UpdateComment) (*Change[Comment], error) {
	return changed(t, ctx, p, Comments, func(w *writer) (*Comment, error) {
		old, err := Comments.Get(w.View, id)
		if err != nil {
			return nil, err
		}
		if err := w.mayEdit(old); err != nil {
			return nil, err
		}
		c := *old
		if in.Body.Set {
			if err := required("body", in.Body.Value, 65_536); err != nil {
				return nil, err
			}
			if c.Body != in.Body.Value && !in.SkipEditedAt {
				c.Edited = w.Micros()
			}
			c.Body = in.Body.Value
			if err := w.commentChanged(&c); err != nil {
				return nil, err
			}
		}
		c.QuotedText = keep(in.QuotedText, c.QuotedText)
		if err := w.resolveAs(&c, in); err != nil {
			return nil, err
		}
		if ids, ok := in.Subscribers.Get(); ok && c.Issue != "" {
			issue, err := Issues.Find(w.View, c.Issue)
			if err != nil {
				return nil, err
			}
			if err := w.subscribeAll(issue, ids, false); err != nil {
				return nil, err
			}
		}
		return saved(w, Comments, old, &c)
	})
}

// resolveAs resolves a thread or opens it again, depending on an input.
func (w *writer) resolveAs(c *Comment, in UpdateComment) error {
	user, named := in.ResolvingUser.Get()
	comment, by := in.ResolvingComment.Get()
	if !named && !by {
		if in.ResolvingUser.Null {
			c.Resolved, c.ResolvingUser, c.ResolvingComment = 0, "", ""
		}
		return nil
	}
	if err := w.resolve(c, comment); err != nil || !named {
		return err
	}
	u, err := w.User(user)
	if err != nil {
		return orElse(passing(err), notFoundIn("User", "resolvingUserId"))
	}
	c.ResolvingUser = u.ID
	return nil
}

// resolve marks a thread as resolved. by is the id of the comment that resolved it, ""
// for none.
func (w *writer) resolve(c *Comment, by string) error {
	if c.Parent != "" {
		return badInput("Only the first comment of a thread can be resolved.")
	}
	if by != "" {
		other, err := Comments.Get(w.View, by)
		if err != nil {
			return orElse(passing(err), notFoundIn("Comment", "resolvingCommentId"))
		}
		if other.ID != c.ID && other.Parent != c.ID {
			return badInput("The resolving comment belongs to another thread.")
		}
		c.ResolvingComment = other.ID
	}
	c.Resolved, c.ResolvingUser = w.Micros(), w.Caller
	return nil
}

// ResolveComment resolves a thread, or opens it again. It returns NotFound and BadInput.
func (t *Tracker) ResolveComment(ctx context.Context, p *auth.Principal, id, by string, on bool) (*Change[Comment], error) {
	return changed(t, ctx, p, Comments, func(w *writer) (*Comment, error) {
		old, err := Comments.Get(w.View, id)
		if err != nil {
			return nil, err
		}
		c := *old
		if !on {
			c.Resolved, c.ResolvingUser, c.ResolvingComment = 0, "", ""
		} else if err := w.resolve(&c, by); err != nil {
			return nil, err
		}
		return saved(w, Comments, old, &c)
	})
}

// DeleteComment deletes a comment, and with the first comment of a thread also the
// replies. It returns NotFound and Forbidden.
func (t *Tracker) DeleteComment(ctx context.Context, p *auth.Principal, id string) (*Change[Comment], error) {
	return changed(t, ctx, p, Comments, func(w *writer) (*Comment, error) {
		c, err := Comments.Get(w.View, id)
		if err != nil {
			return nil, err
		}
		if err := w.mayEdit(c); err != nil {
			return nil, err
		}
		replies, err := Comments.Where(w.View, "t.parent = ? AND t.parent <> ''", c.ID)
		if err != nil {
			return nil, err
		}
		for _, x := range append(replies, c) {
			x.Archived = w.Micros()
			if err := Comments.Delete(w.View, x); err != nil {
				return nil, err
			}
			if err := w.commentChanged(x); err != nil {
				return nil, err
			}
			if err := emit(w, Comments, x, "remove", nil); err != nil {
				return nil, err
			}
		}
		return c, w.forgetResolving(c)
	})
}

// forgetResolving clears the reference of a thread to a deleted reply.
func (w *writer) forgetResolving(reply *Comment) error {
	root, err := Comments.Find(w.View, reply.Parent)
	if err != nil || root == nil || root.ResolvingComment != reply.ID {
		return err
	}
	c := *root
	c.ResolvingComment = ""
	_, err = saved(w, Comments, root, &c)
	return err
}
