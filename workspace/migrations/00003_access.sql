-- +goose Up

-- Tokens of the API. What the bearer has is in no column, only hashes of it.
CREATE TABLE tokens (
    id           TEXT NOT NULL PRIMARY KEY,
    name         TEXT NOT NULL,
    workspace    TEXT NOT NULL, -- '*' is all of them
    scopes       TEXT NOT NULL, -- separated by spaces
    hash         TEXT NOT NULL, -- SHA-256 of the token, hex
    session_hash TEXT NOT NULL, -- of what a browser's cookie holds instead of it
    created_on   TEXT NOT NULL,
    expires_on   TEXT NOT NULL, -- '' is never
    revoked_on   TEXT NOT NULL  -- '' is not
);

-- The result of a run that nobody waited for, until somebody asks; '' of all others.
ALTER TABLE runs ADD COLUMN result TEXT NOT NULL DEFAULT '';

-- What a run wrote to its console is read by the run.
CREATE INDEX events_log ON events (run_id, seq) WHERE type = 'run:log';

-- +goose Down
DROP INDEX events_log;
ALTER TABLE runs DROP COLUMN result;
DROP TABLE tokens;
