package main

import (
	"fmt"
	"io"
	"log/slog"
	"net/netip"
	"strings"
	"time"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/fetch"
	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/server"
	"github.com/sandboxd/sandboxd/workspace"
)

// Settings come from flags, the environment and a file, in this order: what has an
// environment variable can be in the file, under the flag's name with "." after the name of
// its group and "_" for "-", such as limits.wall_time for --limits-wall-time. A new setting
// is a field here; configfile.go and config.go find it by themselves.

// serverSettings are those of sandboxd serve.
type serverSettings struct {
	Listen  string         `help:"The address to listen on; port 0 takes a free one." default:"127.0.0.1:8420" env:"SANDBOXD_LISTEN"`
	Host    []string       `help:"A name that clients may use for this server beside localhost and IP addresses; may be repeated." env:"SANDBOXD_HOST" placeholder:"NAME"`
	Origin  []string       `help:"A page's origin, such as https://app.example, that may use the API with a token; may be repeated. Defaults to none: CORS is off." env:"SANDBOXD_ORIGIN" placeholder:"ORIGIN"`
	Proxy   []netip.Prefix `help:"A network of reverse proxies, such as 10.0.0.0/8, whose X-Forwarded-For is believed; may be repeated." env:"SANDBOXD_PROXY" placeholder:"NETWORK"`
	URL     string         `name:"url" help:"Where clients reach the server, for the links that it makes, such as https://sandbox.example. Defaults to the address that a request was sent to." env:"SANDBOXD_URL" placeholder:"URL"`
	TLS     tlsSettings    `embed:"" prefix:"tls-" envprefix:"SANDBOXD_TLS_"`
	Tools   string         `help:"The tools that MCP clients at /mcp are shown: code or all." enum:"code,all" default:"code" env:"SANDBOXD_MCP_TOOLS"`
	Token   secret         `help:"The token that opens the API. Better in the environment: other users see a command line. Defaults to one that is made at the first start and kept in the data folder, in the file token." env:"SANDBOXD_TOKEN" placeholder:"TOKEN"`
	Drain   time.Duration  `help:"How long requests and runs under way may take to end at a stop; then they are cancelled." default:"30s" env:"SANDBOXD_DRAIN"`
	Rate    float64        `help:"How many requests a second each token may send." default:"1000" env:"SANDBOXD_RATE" group:"Bounds of each token:"`
	Burst   int            `help:"How many at once after a while of silence." default:"2000" env:"SANDBOXD_BURST" group:"Bounds of each token:"`
	Request int            `name:"requests" help:"How many requests may be under way." default:"256" env:"SANDBOXD_REQUESTS" group:"Bounds of each token:"`
	Streams int            `help:"How many event streams may be open." default:"2048" env:"SANDBOXD_STREAMS" group:"Bounds of each token:"`

	hostSettings
}

type tlsSettings struct {
	Cert string `help:"A PEM file with the certificate; with it the server speaks TLS. Read again when it changes." type:"path" env:"CERT" placeholder:"FILE"`
	Key  string `help:"A PEM file with the certificate's key." type:"path" env:"KEY" placeholder:"FILE"`
}

// hostSettings are those of every command that works on a data folder.
type hostSettings struct {
	Data       string   `help:"The data folder. Defaults to ~/.local/share/sandboxd." env:"SANDBOXD_DATA" type:"path" placeholder:"DIR"`
	Runs       int      `help:"How many runs may be under way. Defaults to the number of cores." env:"SANDBOXD_RUNS" placeholder:"N"`
	Queue      int      `help:"How many more may wait; the next one is busy." default:"100" env:"SANDBOXD_QUEUE"`
	FetchAllow []string `help:"What scripts may download from although it is not public: an address, a network or a host name; may be repeated." env:"SANDBOXD_FETCH_ALLOW" placeholder:"WHERE"`

	Log       logSettings       `embed:"" prefix:"log-" envprefix:"SANDBOXD_LOG_"`
	Limits    limitSettings     `embed:"" prefix:"limits-" envprefix:"SANDBOXD_LIMITS_" group:"Limits of a run, its files and its workspace:"`
	Retention retentionSettings `embed:"" prefix:"retention-" envprefix:"SANDBOXD_RETENTION_" group:"How long what is no longer current is kept:"`
}

// groups are the prefixes of settings that are a mapping in the file.
var groups = []string{"tls", "log", "limits", "retention"}

type logSettings struct {
	Level  slog.Level `help:"The least that is logged: debug, info, warn or error." default:"info" env:"LEVEL"`
	Format string     `help:"text or json." enum:"text,json" default:"text" env:"FORMAT"`
}

type limitSettings struct {
	WallTime      time.Duration `help:"Wall clock of a run." default:"30s" env:"WALL_TIME"`
	CPUTime       time.Duration `name:"cpu-time" help:"CPU time of a run." default:"20s" env:"CPU_TIME"`
	Memory        size          `help:"Of a worker process." default:"512MB" env:"MEMORY"`
	HostCalls     int           `help:"Operations called by a run." default:"10000" env:"HOST_CALLS"`
	ConsoleBytes  size          `help:"Console text of a run, then cut with a marker." default:"64KB" env:"CONSOLE_BYTES"`
	ResultBytes   size          `help:"JSON of a run's result." default:"1MB" env:"RESULT_BYTES"`
	ScriptBytes   size          `help:"Source text of a script." default:"1MB" env:"SCRIPT_BYTES"`
	FileBytes     size          `help:"One file." default:"50MB" env:"FILE_BYTES"`
	WorkspaceSize size          `help:"All files of a workspace, versions included, each content once." default:"1GB" env:"WORKSPACE_SIZE"`
	Files         int           `help:"Number of files of a workspace. A listing of more than about 60,000 is more than a worker takes." default:"50000" env:"FILES"`
	Versions      int           `help:"Number of versions of all files of a workspace." default:"500000" env:"VERSIONS"`
	StateBytes    size          `help:"All state of a workspace." default:"16MB" env:"STATE_BYTES"`
	SQLRows       int           `name:"sql-rows" help:"Rows of one db.sql answer, then truncated." default:"1000" env:"SQL_ROWS"`
	SQLTime       time.Duration `name:"sql-time" help:"One SQL statement." default:"10s" env:"SQL_TIME"`
	DBBytes       size          `name:"db-bytes" help:"The agent's database." default:"256MB" env:"DB_BYTES"`
	Pixels        int64         `help:"Width × height × frames of an image." default:"100000000" env:"PIXELS"`
	PDFPages      int           `name:"pdf-pages" help:"Pages of a PDF." default:"5000" env:"PDF_PAGES"`
	InflatedBytes size          `help:"A workbook's parts, inflated." default:"512MB" env:"INFLATED_BYTES"`
}

func (l limitSettings) limits() limits.Limits {
	return limits.Limits{WallTime: l.WallTime, CPUTime: l.CPUTime, Memory: int64(l.Memory), HostCalls: l.HostCalls, ConsoleBytes: int64(l.ConsoleBytes),
		ResultBytes: int64(l.ResultBytes), ScriptBytes: int64(l.ScriptBytes), FileBytes: int64(l.FileBytes), WorkspaceSize: int64(l.WorkspaceSize),
		Files: l.Files, Versions: l.Versions, StateBytes: int64(l.StateBytes), SQLRows: l.SQLRows, SQLTime: l.SQLTime, DBBytes: int64(l.DBBytes),
		Pixels: l.Pixels, PDFPages: l.PDFPages, InflatedBytes: int64(l.InflatedBytes)}
}

type retentionSettings struct {
	Versions age           `help:"Versions of a file, since the next one was made or the file was deleted." default:"90d" env:"VERSIONS"`
	Kept     int           `help:"How many versions of a file at most, the current one included; 0 is any number." default:"0" env:"KEPT"`
	Undo     age           `help:"Runs can be undone for that long, whatever the others say." default:"7d" env:"UNDO"`
	Runs     age           `help:"Records of runs, since their end." default:"90d" env:"RUNS"`
	Events   age           `help:"Events." default:"30d" env:"EVENTS"`
	Audit    age           `help:"Records of who did what, and sources of scripts." default:"365d" env:"AUDIT"`
	Every    time.Duration `help:"How often what is too old is removed." default:"1h" env:"EVERY"`
}

// secret is a setting that is not shown.
type secret string

// String hides it.
func (s secret) String() string {
	if s == "" {
		return ""
	}
	return "********"
}

// Validate is called by kong.
func (c *hostSettings) Validate() error {
	for name, n := range map[string]int{"--runs": c.Runs, "--queue": c.Queue, "--retention-kept": c.Retention.Kept} {
		if n < 0 {
			return fmt.Errorf("%s: expected a number from 0, got %d", name, n)
		}
	}
	for name, d := range map[string]time.Duration{"--limits-wall-time": c.Limits.WallTime, "--limits-cpu-time": c.Limits.CPUTime,
		"--limits-sql-time": c.Limits.SQLTime, "--retention-every": c.Retention.Every} {
		if d <= 0 {
			return fmt.Errorf("%s: expected more than 0, got %s", name, d)
		}
	}
	for name, n := range map[string]int64{"--limits-host-calls": int64(c.Limits.HostCalls), "--limits-files": int64(c.Limits.Files),
		"--limits-versions": int64(c.Limits.Versions), "--limits-sql-rows": int64(c.Limits.SQLRows), "--limits-pixels": c.Limits.Pixels,
		"--limits-pdf-pages": int64(c.Limits.PDFPages)} {
		if n <= 0 {
			return fmt.Errorf("%s: expected a number from 1, got %d: no limit can be switched off", name, n)
		}
	}
	if _, err := fetch.New(fetch.Config{AllowPrivate: c.FetchAllow}); err != nil {
		return fmt.Errorf("--fetch-allow: %w", err)
	}
	return nil
}

// Validate is called by kong.
func (c *serverSettings) Validate() error {
	if (c.TLS.Cert == "") != (c.TLS.Key == "") {
		return fmt.Errorf("--tls-cert and --tls-key go together")
	}
	if c.Drain <= 0 {
		return fmt.Errorf("--drain: expected more than 0, got %s", c.Drain)
	}
	if err := server.CheckOrigins(c.Origin); err != nil {
		return fmt.Errorf("--origin: %w", err)
	}
	return c.hostSettings.Validate()
}

// host is what a host is to be like.
func (c *hostSettings) host() sandboxd.Config {
	r := c.Retention
	return sandboxd.Config{Dir: c.Data, Limits: c.Limits.limits(), Concurrency: c.Runs, Queue: c.Queue,
		Fetch: fetch.Config{AllowPrivate: c.FetchAllow}, CollectEvery: r.Every,
		Retention: workspace.Retention{Versions: time.Duration(r.Versions), Kept: r.Kept, Undo: time.Duration(r.Undo), Runs: time.Duration(r.Runs),
			Events: time.Duration(r.Events), Audit: time.Duration(r.Audit)}}
}

// logger is the log that the settings say.
func (c *logSettings) logger(w io.Writer) *slog.Logger {
	options := &slog.HandlerOptions{Level: c.Level}
	if strings.EqualFold(c.Format, "json") {
		return slog.New(withRequest{slog.NewJSONHandler(w, options)})
	}
	return slog.New(withRequest{slog.NewTextHandler(w, options)})
}
