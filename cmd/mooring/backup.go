package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"mooring/cmd/mooring/process"
	"mooring/refresh"
	"mooring/storage/backup"
	"mooring/storage/keep"
)

// backupCommand writes a backup.
type backupCommand struct {
	File string `arg:"" help:"The file to write; - is stdout."`
	process.ConfigFlag
	process.RedisFlag
	Tenant []string `placeholder:"T" help:"A tenant to back up, once for each; else all that the storage has."`
}

// Help is shown by mooring backup --help.
func (*backupCommand) Help() string {
	return "Servers and agents may go on: each tenant is in the backup as it was at one instant. For the last keys of each the Redis server " +
		"holds back writes, for a few milliseconds as a rule and half a second at a time. The file appears when it is whole. It holds what " +
		"Redis holds, such as people's names and what they typed: keep it as safe as that."
}

// Run writes the file.
func (c *backupCommand) Run(s *process.Invocation) error {
	cfg, err := s.LoadShared(c.ConfigFlag, c.RedisFlag, "backup")
	if err != nil {
		return err
	}
	store, err := keep.OpenToBackup(s.Ctx, s.StorageOf(cfg, ""))
	if err != nil {
		return process.Plain(err)
	}
	var tenants []string
	var all backup.Counts
	write := func(w io.Writer) (err error) {
		tenants, all, err = store.Backup(s.Ctx, w, keep.BackupOptions{
			Tenants: c.Tenant, Version: process.Version(), Process: process.ThisProcess("backup"), Progress: tenantDone(s),
		})
		return err
	}
	if c.File == "-" {
		err = write(s.Stdout)
	} else {
		err = writeWhole(c.File, write)
	}
	if err == nil {
		err = store.NoteBackup(s.Ctx, tenants, operator())
	}
	if err = errors.Join(err, store.Close()); err != nil {
		return process.Plain(err)
	}
	fmt.Fprintf(s.Stderr, "backed up: %s with %s\n", process.Count(len(tenants), "tenant"), amounts(all))
	return nil
}

// tenantDone returns what tells of a tenant that is done.
func tenantDone(s *process.Invocation) func(tenant string, c backup.Counts) {
	return func(tenant string, c backup.Counts) { fmt.Fprintf(s.Stderr, "%s: %s\n", tenant, amounts(c)) }
}

// amounts says how much there is.
func amounts(c backup.Counts) string {
	return fmt.Sprintf("%s, %s, %s, %s, %s kept", process.Count(int(c.Reports), "report"), process.Count(int(c.Workbooks), "workbook"),
		process.Count(int(c.Placements), "placement"), process.Count(int(c.Schedules), "schedule"), process.Count(int(c.Runs), "run"))
}

// writeWhole makes a file that only its owner reads, of what write writes, or leaves what was there before.
func writeWhole(path string, write func(io.Writer) error) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() { // such as a device, which the file would replace
		return fmt.Errorf("%s is there and no regular file: name another file, or - for stdout", path)
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*") // its mode is 0600
	if err != nil {
		return err
	}
	err = write(f)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return syncFolder(filepath.Dir(path))
}

// syncFolder makes what was renamed in a folder last.
func syncFolder(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// restoreCommand restores a backup.
type restoreCommand struct {
	File string `arg:"" help:"What mooring backup wrote; - is stdin."`
	process.ConfigFlag
	process.RedisFlag
	Replace bool `help:"Take the tenants that the backup has out of the storage first. Else it must have none."`
}

// Help is shown by mooring restore --help.
func (*restoreCommand) Help() string {
	return "The file is checked before anything is changed. No server or agent may run. If it is interrupted, nothing starts until it was done " +
		"again with the same file. What was revoked stays revoked, in the backup as in the storage; devices that were signed in must be " +
		"paired again; runs that had not ended are stopped; schedules go on with their next time from now. A refresh of what was " +
		"restored stops at rows that neither the backup nor the source knows, until it may overwrite them."
}

// Run restores the file.
func (c *restoreCommand) Run(s *process.Invocation) error {
	cfg, err := s.LoadShared(c.ConfigFlag, c.RedisFlag, "restore")
	if err != nil {
		return err
	}
	file, err := c.open(s)
	if err != nil {
		return err
	}
	defer c.close(file)
	info, err := file.Stat()
	if err != nil {
		return err
	}
	done, err := keep.Restore(s.Ctx, s.StorageOf(cfg, ""), file, info.Size(), keep.RestoreOptions{
		Replace: c.Replace, Who: operator(), Process: process.ThisProcess("restore"), Progress: tenantDone(s), Next: refresh.ComingTick,
	})
	if err != nil {
		return process.Plain(err)
	}
	fmt.Fprintf(s.Stderr, "restored: %s with %s, as of %s\n",
		process.Count(len(done.Tenants), "tenant"), amounts(done.Counts), done.At.UTC().Format("2006-01-02 15:04:05Z"))
	if done.Devices > 0 {
		fmt.Fprintf(s.Stderr, "%s must be paired again: their tokens were revoked\n", process.Count(done.Devices, "device"))
	}
	if done.Runs > 0 {
		fmt.Fprintf(s.Stderr, "%s had not ended and stopped: run what matters again\n", process.Count(done.Runs, "run"))
	}
	return nil
}

// open opens the file. A stream, which can be read once only, is copied to a temporary file.
func (c *restoreCommand) open(s *process.Invocation) (*os.File, error) {
	if c.File != "-" {
		return os.Open(c.File)
	}
	f, err := os.CreateTemp("", "mooring-restore-*")
	if err != nil {
		return nil, err
	}
	if _, err = io.Copy(f, s.Stdin); err != nil {
		c.close(f)
		return nil, err
	}
	return f, nil
}

// close closes the file, which is not needed any more if it is a copy.
func (c *restoreCommand) close(f *os.File) {
	_ = f.Close() // it was read only, or goes
	if c.File == "-" {
		_ = os.Remove(f.Name())
	}
}
