package tracker

import (
	"understudy/internal/platform/opt"
	"understudy/internal/platform/seeddoc"
	"understudy/internal/tracker/seed"
)

func (w *seeder) seedLabels() error {
	for i := range w.g.doc.Labels {
		name, in := w.g.doc.Labels[i].Name, &w.g.doc.Labels[i].Value
		if in.Name == "" {
			in.Name = name
		}
		id, err := w.seedLabel(in)
		if err != nil {
			return err
		}
		w.labels[name] = id
		w.made.Labels[name] = SeededEntity{id}
	}
	return nil
}

func (w *seeder) seedLabel(in *seed.Label) (string, error) {
	if err := w.past(in.Created); err != nil {
		return "", err
	}
	write := WriteLabel{ID: in.ID, Name: opt.Some(in.Name), Color: set(in.Color), Description: set(in.Description), IsGroup: opt.Some(in.Group)}
	if in.Team.Name != "" {
		team, err := w.team(in.Team)
		if err != nil {
			return "", err
		}
		write.Team = opt.Some(team.ID)
	}
	if in.Parent.Name != "" {
		id, err := w.label(in.Parent)
		if err != nil {
			return "", err
		}
		write.Parent = opt.Some(id)
	}
	l, err := w.as(w.viewer, in.Created.Or(w.g.now)).createLabel(write)
	if err != nil {
		return "", in.Blame(err)
	}
	return l.ID, nil
}

// label returns the id of the label that a reference names: by the document's
// name, by id or name.
func (w *seeder) label(ref seeddoc.Ref) (string, error) {
	if id, ok := w.labels[ref.Name]; ok {
		return id, nil
	}
	found, err := Labels.Where(w.View, "t.archived = 0 AND (t.id = ? OR t.name_key = ?)", lower(ref.Name), nameKey(ref.Name))
	switch {
	case err != nil:
		return "", err
	case len(found) == 0:
		return "", ref.Refuse("there is no label %q in the document or the organization", ref.Name)
	case len(found) > 1:
		return "", ref.Refuse("several teams have a label %q: give its id", ref.Name)
	}
	return found[0].ID, nil
}

func (w *seeder) seedProjects() error {
	for i := range w.g.doc.Projects {
		name, in := w.g.doc.Projects[i].Name, &w.g.doc.Projects[i].Value
		if in.Name == "" {
			in.Name = name
		}
		write, err := w.projectInput(in)
		if err != nil {
			return err
		}
		creator, err := w.user(in.Creator)
		if err != nil {
			return err
		}
		if err := w.past(in.Created); err != nil {
			return err
		}
		p, err := w.as(creator, in.Created.Or(w.g.now)).createProject(write)
		if err != nil {
			return in.Blame(err)
		}
		w.made.Projects[name] = SeededEntity{p.ID}
	}
	return nil
}

func (w *seeder) projectInput(in *seed.Project) (WriteProject, error) {
	write := WriteProject{ID: in.ID, Name: opt.Some(in.Name), Description: set(in.Description), Content: set(in.Content), Color: set(in.Color),
		Icon: set(in.Icon), Priority: opt.Some(int(in.Priority)), StartDate: set(string(in.StartDate)), TargetDate: set(string(in.TargetDate))}
	for _, ref := range in.Teams {
		team, err := w.team(ref)
		if err != nil {
			return write, err
		}
		write.Teams.Value = append(write.Teams.Value, team.ID)
	}
	members, err := w.userIDs(in.Members)
	if err != nil {
		return write, err
	}
	write.Members = opt.Some(members)
	if in.Lead.Name != "" {
		lead, err := w.user(in.Lead)
		if err != nil {
			return write, err
		}
		write.Lead = opt.Some(lead.ID)
	}
	if in.Status == "" {
		return write, nil
	}
	all, err := w.Statuses()
	if err != nil {
		return write, err
	}
	for _, s := range all {
		if nameKey(s.Name) == nameKey(in.Status) {
			write.Status = opt.Some(s.ID)
			return write, nil
		}
	}
	return write, in.In("status").Refuse("there is no project status %q", in.Status)
}

func (w *seeder) seedCycles() error {
	for i := range w.g.doc.Cycles {
		name, in := w.g.doc.Cycles[i].Name, &w.g.doc.Cycles[i].Value
		team, err := w.team(in.Team)
		if err != nil {
			return err
		}
		if err := w.past(in.Completed); err != nil {
			return err
		}
		write := WriteCycle{ID: in.ID, Team: team.ID, Name: set(in.Name), Description: set(in.Description),
			Starts: opt.Some(in.Starts.Micros), Ends: opt.Some(in.Ends.Micros)}
		if in.Completed.Micros != 0 {
			write.Completed = opt.Some(in.Completed.Micros)
		}
		c, err := w.as(w.viewer, min(in.Starts.Micros, w.g.now)).createCycle(write)
		if err != nil {
			return in.Blame(err)
		}
		w.made.Cycles[name] = SeededEntity{c.ID}
	}
	return nil
}

// known returns the id of the entity that the document has created under a name;
// any other name is an id itself.
func known(made map[string]SeededEntity, ref seeddoc.Ref) opt.Opt[string] {
	if ref.Name == "" {
		return opt.Opt[string]{}
	}
	if e, ok := made[ref.Name]; ok {
		return opt.Some(e.ID)
	}
	return opt.Some(lower(ref.Name))
}
