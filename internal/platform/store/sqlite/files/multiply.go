package files

import (
	"os"

	"golang.org/x/sync/errgroup"
)

// copiers is how many files Multiply copies concurrently: some of them wait for
// the disk.
const copiers = 4

// Multiply copies the file and the log of a closed world to several names, each
// with its own file. Their content is durable when it returns, their names after
// Sync.
func Multiply(f *Folder, from string, to []string) error {
	release, err := hold(f, from)
	if err != nil {
		return err
	}
	defer release()
	var all errgroup.Group
	all.SetLimit(copiers)
	for _, world := range to {
		all.Go(func() error {
			if err := f.CopyLog(from, world, true); err != nil {
				return err
			}
			if err := f.copyFile(f.Path(from), f.Path(world)+".new", true); err != nil {
				return err
			}
			return os.Rename(f.Path(world)+".new", f.Path(world))
		})
	}
	return all.Wait()
}
