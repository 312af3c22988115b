-- What a world knows of itself: lineage, seed, position of its id source, clock.
CREATE TABLE env_meta (
    name  TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
);
