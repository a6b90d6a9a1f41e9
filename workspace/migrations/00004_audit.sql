-- +goose Up

-- Who did what. Written with what it tells of.
CREATE TABLE audit (
    seq         BIGINT NOT NULL PRIMARY KEY,
    at          TEXT   NOT NULL,
    workspace   TEXT   NOT NULL,
    session_id  TEXT   NOT NULL,
    token_id    TEXT   NOT NULL,
    caller      TEXT   NOT NULL,
    via         TEXT   NOT NULL,
    address     TEXT   NOT NULL,
    request_id  TEXT   NOT NULL,
    action      TEXT   NOT NULL,
    name        TEXT   NOT NULL,
    run_id      TEXT   NOT NULL,
    script_hash TEXT   NOT NULL,
    code        TEXT   NOT NULL, -- ok, or the error's
    files       TEXT   NOT NULL, -- JSON, or ''
    files_more  BIGINT NOT NULL,
    calls       TEXT   NOT NULL, -- JSON, or ''
    bytes_in    BIGINT NOT NULL,
    bytes_out   BIGINT NOT NULL,
    duration_us BIGINT NOT NULL
);
CREATE INDEX audit_workspace ON audit (workspace, seq);
CREATE INDEX audit_run ON audit (run_id) WHERE run_id <> '';
CREATE INDEX audit_script ON audit (script_hash) WHERE script_hash <> '';

-- The sources of scripts that records name, each once.
CREATE TABLE audit_scripts (
    hash       TEXT   NOT NULL PRIMARY KEY, -- SHA-256 of the source
    size       BIGINT NOT NULL,
    source     BYTEA  NOT NULL, -- zstd
    created_on TEXT   NOT NULL
);

ALTER TABLE counters ADD COLUMN audit BIGINT NOT NULL DEFAULT 0;

-- Who began a run, for the record of one that ends with the process.
ALTER TABLE runs ADD COLUMN token_id TEXT NOT NULL DEFAULT '';
ALTER TABLE runs ADD COLUMN caller TEXT NOT NULL DEFAULT '';
ALTER TABLE runs ADD COLUMN via TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE runs DROP COLUMN via;
ALTER TABLE runs DROP COLUMN caller;
ALTER TABLE runs DROP COLUMN token_id;
ALTER TABLE counters DROP COLUMN audit;
DROP TABLE audit_scripts;
DROP TABLE audit;
