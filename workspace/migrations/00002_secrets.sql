-- +goose Up

-- Keys that the host made for itself: "redo" seals the redo records that lie in the
-- databases of agents.
CREATE TABLE secrets (
    name  TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL -- hex
);

-- +goose Down
DROP TABLE secrets;
