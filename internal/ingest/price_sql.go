package ingest

import "understudy/internal/platform/store"

func listPrices(tx *store.Tx, project string) (out []ModelPrice, err error) {
	err = tx.Each(`SELECT model, input, output, currency FROM ingest_price WHERE project = ? ORDER BY model`, []any{project}, func(r store.Row) error {
		var m ModelPrice
		err := r.Scan(&m.Model, &m.Input, &m.Output, &m.Currency)
		out = append(out, m)
		return err
	})
	return out, err
}

func putPrices(tx *store.Tx, project string, list []ModelPrice) error {
	if _, err := tx.Exec(`DELETE FROM ingest_price WHERE project = ?`, project); err != nil {
		return err
	}
	for _, m := range list {
		if _, err := tx.Exec(`INSERT INTO ingest_price (project, model, input, output, currency) VALUES (?, ?, ?, ?, ?)`,
			project, m.Model, m.Input, m.Output, m.Currency); err != nil {
			return err
		}
	}
	return nil
}
