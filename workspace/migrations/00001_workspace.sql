-- One set of tables for SQLite and Postgres: TEXT, BIGINT and BYTEA alone (SQLite takes any
-- type name and keeps bytes as they are), no defaults that differ, no triggers.
-- Times are ISO 8601 UTC with milliseconds, so they order as text.

-- +goose Up
CREATE TABLE agent_files (
    _id               TEXT   NOT NULL PRIMARY KEY,
    name              TEXT   NOT NULL,
    mime_type         TEXT   NOT NULL,
    size              BIGINT NOT NULL,
    disk_path         TEXT   NOT NULL, -- within files/; '' when the bytes are in blobs.data
    source            TEXT   NOT NULL,
    source_session_id TEXT   NOT NULL,
    created_on        TEXT   NOT NULL,
    modified_on       TEXT   NOT NULL,
    workspace         TEXT   NOT NULL,
    version           BIGINT NOT NULL,
    hash              TEXT   NOT NULL,
    deleted_on        TEXT   NOT NULL  -- '' while the file is there
);
CREATE UNIQUE INDEX agent_files_name ON agent_files (workspace, name) WHERE deleted_on = '';
CREATE INDEX agent_files_deleted ON agent_files (workspace, name, deleted_on) WHERE deleted_on <> '';

CREATE TABLE agent_file_versions (
    file_id     TEXT   NOT NULL,
    version     BIGINT NOT NULL,
    workspace   TEXT   NOT NULL,
    name        TEXT   NOT NULL,
    mime_type   TEXT   NOT NULL,
    size        BIGINT NOT NULL,
    hash        TEXT   NOT NULL,
    action      TEXT   NOT NULL,
    run_id      TEXT   NOT NULL,
    modified_on TEXT   NOT NULL,
    PRIMARY KEY (file_id, version)
);
CREATE INDEX agent_file_versions_run ON agent_file_versions (run_id);
CREATE INDEX agent_file_versions_hash ON agent_file_versions (workspace, hash);

-- Contents, each once, named by SHA-256. Small ones live here, which saves an fsync.
CREATE TABLE blobs (
    hash       TEXT   NOT NULL PRIMARY KEY,
    size       BIGINT NOT NULL,
    data       BYTEA,
    created_on TEXT   NOT NULL
);

-- Which contents a workspace pays for, each once.
CREATE TABLE workspace_blobs (
    workspace TEXT   NOT NULL,
    hash      TEXT   NOT NULL,
    size      BIGINT NOT NULL,
    PRIMARY KEY (workspace, hash)
);
CREATE INDEX workspace_blobs_hash ON workspace_blobs (hash);

CREATE TABLE workspaces (
    workspace     TEXT   NOT NULL PRIMARY KEY,
    file_bytes    BIGINT NOT NULL, -- sum of workspace_blobs.size
    state_bytes   BIGINT NOT NULL, -- keys and values of agent_state
    history_bytes BIGINT NOT NULL, -- keys and values of agent_state_changes
    history_from  BIGINT NOT NULL  -- changes of runs before this one were dropped
);

CREATE TABLE agent_state (
    workspace   TEXT   NOT NULL,
    key         TEXT   NOT NULL,
    value       TEXT   NOT NULL, -- JSON
    seq         BIGINT NOT NULL, -- runs.seq of the last change
    modified_on TEXT   NOT NULL,
    PRIMARY KEY (workspace, key)
);

-- What each run did to state, for undo. NULL is no value.
CREATE TABLE agent_state_changes (
    workspace TEXT   NOT NULL,
    seq       BIGINT NOT NULL,
    key       TEXT   NOT NULL,
    run_id    TEXT   NOT NULL,
    before    TEXT,
    after     TEXT,
    PRIMARY KEY (workspace, seq, key)
);
CREATE INDEX agent_state_changes_run ON agent_state_changes (run_id);
CREATE INDEX agent_state_changes_key ON agent_state_changes (workspace, key, seq);

CREATE TABLE runs (
    id           TEXT   NOT NULL PRIMARY KEY,
    workspace    TEXT   NOT NULL,
    session_id   TEXT   NOT NULL,
    kind         TEXT   NOT NULL,
    name         TEXT   NOT NULL,
    tool         TEXT   NOT NULL,
    script_hash  TEXT   NOT NULL,
    status       TEXT   NOT NULL, -- running, ok or failed
    error_code   TEXT   NOT NULL,
    error        TEXT   NOT NULL, -- JSON, or ''
    receipt      TEXT   NOT NULL, -- JSON, or ''
    result_bytes BIGINT NOT NULL,
    started_on   TEXT   NOT NULL,
    finished_on  TEXT   NOT NULL,
    seq          BIGINT NOT NULL, -- counts runs in the order of their commits; 0 while running
    undoes       TEXT   NOT NULL,
    undone_by    TEXT   NOT NULL,
    db_changed   BIGINT NOT NULL, -- 1 if the agent's database was written
    db_changeset TEXT   NOT NULL, -- blob, or '' if it cannot be undone
    db_reason    TEXT   NOT NULL  -- why it cannot
);
CREATE INDEX runs_started ON runs (workspace, started_on, id);
CREATE INDEX runs_status ON runs (status) WHERE status = 'running';
CREATE INDEX runs_changeset ON runs (db_changeset) WHERE db_changeset <> '';

CREATE TABLE events (
    seq        BIGINT NOT NULL PRIMARY KEY,
    workspace  TEXT   NOT NULL,
    session_id TEXT   NOT NULL,
    run_id     TEXT   NOT NULL,
    type       TEXT   NOT NULL,
    payload    TEXT   NOT NULL, -- JSON
    created_on TEXT   NOT NULL
);
CREATE INDEX events_workspace ON events (workspace, seq);

-- The two counters that follow the order of commits. Whoever commits holds this row.
CREATE TABLE counters (
    id     BIGINT NOT NULL PRIMARY KEY,
    runs   BIGINT NOT NULL,
    events BIGINT NOT NULL
);
INSERT INTO counters (id, runs, events) VALUES (1, 0, 0);

-- Workspaces whose agent database was in use when the daemon was last seen alive:
-- their markers are to be looked at.
CREATE TABLE agent_open (
    workspace TEXT NOT NULL PRIMARY KEY,
    opened_on TEXT NOT NULL
);

-- +goose Down
DROP TABLE agent_open;
DROP TABLE counters;
DROP TABLE events;
DROP TABLE runs;
DROP TABLE agent_state_changes;
DROP TABLE agent_state;
DROP TABLE workspaces;
DROP TABLE workspace_blobs;
DROP TABLE blobs;
DROP TABLE agent_file_versions;
DROP TABLE agent_files;
