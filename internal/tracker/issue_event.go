package tracker

import "understudy/internal/tracker/entity"

// enrichIssue adds the entities that payloads of issues embed.
func enrichIssue(v *View, i *Issue, data map[string]any) (detail, error) {
	d := detail{url: v.IssueURL(i), teams: []string{i.Team}}
	data["url"], data["priorityLabel"], data["reactionData"] = d.url, PriorityLabels[i.Priority], []any{}
	data["releases"] = []any{}
	if !i.Trashed {
		delete(data, "trashed")
	}
	state, err := States.Find(v, i.State)
	if err != nil {
		return d, err
	}
	if state != nil {
		data["state"] = map[string]any{"id": state.ID, "color": state.Color, "name": state.Name, "type": state.Type}
	}
	team, err := Teams.Find(v, i.Team)
	if err != nil {
		return d, err
	}
	if team != nil {
		data["team"] = map[string]any{"id": team.ID, "key": team.Key, "name": team.Name}
	}
	if err := embedUser(v, data, "assignee", i.Assignee); err != nil {
		return d, err
	}
	if err := embedUser(v, data, "creator", i.Creator); err != nil {
		return d, err
	}
	labels := []any{}
	if ids := entity.Split(i.LabelIDs); len(ids) > 0 {
		found, err := Labels.ByID(v, ids)
		if err != nil {
			return d, err
		}
		for _, id := range ids {
			if l := found[id]; l != nil {
				m := map[string]any{"id": l.ID, "color": l.Color, "name": l.Name}
				if l.Parent != "" {
					m["parentId"] = l.Parent
				}
				labels = append(labels, m)
			}
		}
	}
	data["labels"] = labels
	return d, embedPlan(v, i, data)
}

// embedPlan adds the cycle and the project of an issue.
func embedPlan(v *View, i *Issue, data map[string]any) error {
	c, err := Cycles.Find(v, i.Cycle)
	if err != nil {
		return err
	}
	if c != nil {
		m := map[string]any{"id": c.ID, "number": c.Number, "startsAt": entity.ISO(c.Starts), "endsAt": entity.ISO(c.Ends)}
		if c.Name != "" {
			m["name"] = c.Name
		}
		data["cycle"] = m
	}
	p, err := Projects.Find(v, i.Project)
	if err == nil && p != nil {
		data["project"] = map[string]any{"id": p.ID, "name": p.Name, "url": v.ProjectURL(p)}
	}
	return err
}
