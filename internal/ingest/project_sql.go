package ingest

import "understudy/internal/platform/store"

func insertProject(tx *store.Tx, id, name string, at int64) error {
	_, err := tx.Exec(`INSERT INTO ingest_project (id, name, created) VALUES (?, ?, ?)`, id, name, at)
	return err
}

// findProject returns the id of a project, or "".
func findProject(tx *store.Tx, id, name string) (found string, err error) {
	if id != "" {
		_, err = tx.Get(`SELECT id FROM ingest_project WHERE id = ?`, []any{id}, &found)
		return found, err
	}
	_, err = tx.Get(`SELECT id FROM ingest_project WHERE name = ?`, []any{name}, &found)
	return found, err
}

// allProjects lists the projects, oldest first.
func allProjects(tx *store.Tx) (out []Project, err error) {
	err = tx.Each(`SELECT id, name, created FROM ingest_project ORDER BY created, id`, nil, func(r store.Row) error {
		var p Project
		err := r.Scan(&p.ID, &p.Name, &p.Created)
		out = append(out, p)
		return err
	})
	return out, err
}

func listProjects(tx *store.Tx) (out []string, err error) {
	err = tx.Each(`SELECT id FROM ingest_project ORDER BY created, id`, nil, func(r store.Row) error {
		var id string
		err := r.Scan(&id)
		out = append(out, id)
		return err
	})
	return out, err
}
