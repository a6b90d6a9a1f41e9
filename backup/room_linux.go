package backup

import "syscall"

// spare is what a restore leaves free of a disk, or a twentieth of one that is small.
const spare = 1 << 30

// room is how much a restore may write where a folder is.
func room(dir string) (bytes int64, known bool) {
	var disk syscall.Statfs_t
	if err := syscall.Statfs(dir, &disk); err != nil || disk.Blocks == 0 {
		return 0, false
	}
	return max(0, int64(disk.Bavail)*disk.Bsize-min(spare, int64(disk.Blocks/20)*disk.Bsize)), true
}
