-- +goose Up

-- What a workspace has, for the limits on both.
ALTER TABLE workspaces ADD COLUMN files BIGINT NOT NULL DEFAULT 0; -- that are there
ALTER TABLE workspaces ADD COLUMN versions BIGINT NOT NULL DEFAULT 0; -- rows of agent_file_versions
UPDATE workspaces SET
    files = (SELECT COUNT(*) FROM agent_files AS f WHERE f.workspace = workspaces.workspace AND f.deleted_on = ''),
    versions = (SELECT COUNT(*) FROM agent_file_versions AS v WHERE v.workspace = workspaces.workspace);

-- +goose Down
ALTER TABLE workspaces DROP COLUMN versions;
ALTER TABLE workspaces DROP COLUMN files;
