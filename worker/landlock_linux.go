package worker

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Landlock is put on the daemon's thread that starts the children, who inherit it: a child
// is many threads before its main runs, and without cgo's help only one of them could be
// restricted from inside. See spawner.

// pathRule allows rights below a path.
type pathRule struct {
	path   string
	rights uint64
}

const (
	rightsRead = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	rightsExec = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_EXECUTE
	// rightsFile are those that apply to a file that is not a folder.
	rightsFile = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE |
		unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	rightsFolder = rightsRead | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE |
		unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_DIR |
		unix.LANDLOCK_ACCESS_FS_REMOVE_FILE | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR
)

// pathRules are what a child needs to start, itself and the libraries if it is linked
// dynamically, and what its role reaches besides.
func pathRules(executable string, r reach) []pathRule {
	rules := []pathRule{{executable, rightsExec}}
	for _, lib := range []string{"/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib"} {
		rules = append(rules, pathRule{lib, rightsRead | rightsExec})
	}
	rules = append(rules, pathRule{"/etc/ld.so.cache", unix.LANDLOCK_ACCESS_FS_READ_FILE})
	if r.dbDir != "" {
		rules = append(rules, pathRule{r.dbDir, rightsFolder})
	}
	return append(rules, engineRules(r)...)
}

// engineRules let a child load engines. Its filter of system calls ends that once they
// are loaded: what may still be read then is what was opened.
func engineRules(r reach) (rules []pathRule) {
	if r.engines.PDFium != "" {
		rules = append(rules, pathRule{r.engines.PDFium, unix.LANDLOCK_ACCESS_FS_READ_FILE})
	}
	if path := r.engines.Libvips; filepath.IsAbs(path) {
		rules = append(rules, pathRule{filepath.Dir(path), rightsRead | rightsExec})
	}
	for _, fonts := range r.engines.Fonts {
		rules = append(rules, pathRule{fonts, rightsRead})
	}
	switch {
	case r.engines.Cache == "":
	case r.warm:
		rules = append(rules, pathRule{r.engines.Cache, rightsFolder})
	default:
		rules = append(rules, pathRule{r.engines.Cache, rightsRead})
	}
	return rules
}

// landlockABI is the kernel's version of landlock.
func landlockABI() (int, error) {
	abi, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	switch errno {
	case 0:
		return int(abi), nil
	case unix.ENOSYS:
		return 0, errors.New("this kernel has no landlock (it came with 5.13)")
	case unix.EOPNOTSUPP:
		return 0, errors.New("landlock is switched off on this kernel (add it to the lsm= boot option)")
	}
	return 0, fmt.Errorf("landlock: %w", errno)
}

// restrictThread puts landlock on the calling thread, which must be locked and must not
// serve anything else afterwards: there is no way back.
func restrictThread(rules []pathRule) error {
	abi, err := landlockABI()
	if err != nil {
		return err
	}
	// Versions above 5 add the scoping of signals, which stops Go's threads from
	// preempting each other, and nothing that would be needed here.
	handled := uint64(unix.LANDLOCK_ACCESS_FS_MAKE_SYM<<1 - 1)
	if abi >= 2 {
		handled |= unix.LANDLOCK_ACCESS_FS_REFER
	}
	if abi >= 3 {
		handled |= unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	if abi >= 5 {
		handled |= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	attr := unix.LandlockRulesetAttr{Handled_access_fs: handled}
	size := unsafe.Sizeof(attr.Handled_access_fs)
	if abi >= 4 {
		attr.Handled_access_net = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
		size += unsafe.Sizeof(attr.Handled_access_net)
	}
	ruleset, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), size, 0)
	if errno != 0 {
		return fmt.Errorf("landlock: making a ruleset: %w", errno)
	}
	defer unix.Close(int(ruleset))
	for _, rule := range rules {
		if err := allowPath(int(ruleset), rule, handled); err != nil {
			return err
		}
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("landlock: no-new-privs: %w", err)
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, ruleset, 0, 0); errno != 0 {
		return fmt.Errorf("landlock: restricting: %w", errno)
	}
	return nil
}

func allowPath(ruleset int, rule pathRule, handled uint64) error {
	path := rule.path
	if resolved, err := filepath.EvalSymlinks(path); err == nil && path != "/proc/self/exe" {
		path = resolved
	}
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if errors.Is(err, os.ErrNotExist) {
		return nil // such as /lib64 where there is none
	}
	if err != nil {
		return fmt.Errorf("landlock: %s: %w", rule.path, err)
	}
	defer unix.Close(fd)
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return fmt.Errorf("landlock: %s: %w", rule.path, err)
	}
	attr := unix.LandlockPathBeneathAttr{Allowed_access: rule.rights & handled, Parent_fd: int32(fd)}
	if stat.Mode&unix.S_IFMT != unix.S_IFDIR {
		attr.Allowed_access &= rightsFile
	}
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(ruleset), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&attr)), 0, 0, 0)
	if errno != 0 {
		return fmt.Errorf("landlock: %s: %w", rule.path, errno)
	}
	return nil
}
