package tracker

// Peek gives entities of which only the id is filled in, without reading them,
// where that shows the viewer nothing that ByID would not.
func (k *Kind[T]) Peek(v *View, ids []string) (map[string]*T, error) {
	if k.hide != nil && len(v.unseen()) > 0 {
		return k.byID(v, ids)
	}
	out := make(map[string]*T, len(ids))
	all := make([]T, len(ids))
	for i, id := range ids {
		k.base(&all[i]).ID = id
		out[id] = &all[i]
	}
	return out, nil
}
