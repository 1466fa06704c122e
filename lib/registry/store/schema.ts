/** Raised with every change of the tables: a store of an earlier version is put aside and filled anew. */
export const SCHEMA_VERSION = 2;

/**
 * - `skills`: one a content. `row` is its id in the native indexes; `id` and `path` are those of its
 *   first location. `changed` is the number of the change that wrote it. The body comes last, so that
 *   reading the rest of a row does not read it.
 * - `locations`: one a SKILL.md, also of those that gave no skill. `mtime` is null where a file could
 *   still change without its date changing.
 * - `freed`: rows without a skill, which new ones take.
 * - `requires`: what skills say they need, as they say it.
 * - `facts`: what metadata say, by which skills are filtered.
 * - `vectors`: by the SHA-256 of the text that was embedded.
 */
export const SCHEMA = `
CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE skills (
  row INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  path TEXT NOT NULL,
  name TEXT NOT NULL,
  description TEXT NOT NULL,
  tokens INTEGER NOT NULL,
  changed INTEGER NOT NULL,
  imported INTEGER NOT NULL,
  name_key TEXT,
  name_hash INTEGER,
  content_hash TEXT NOT NULL,
  hash TEXT NOT NULL,
  view BLOB NOT NULL,
  metadata TEXT NOT NULL,
  body TEXT NOT NULL
);
CREATE INDEX skills_id ON skills (id);
CREATE INDEX skills_name ON skills (name);
CREATE INDEX skills_name_key ON skills (name_key, name_hash);
CREATE INDEX skills_hash ON skills (hash);
CREATE INDEX skills_view ON skills (view);
CREATE INDEX skills_changed ON skills (changed);
CREATE TABLE locations (
  path TEXT PRIMARY KEY,
  id TEXT NOT NULL,
  root TEXT NOT NULL,
  row INTEGER,
  size INTEGER NOT NULL,
  mtime REAL,
  inode INTEGER NOT NULL,
  hash TEXT,
  warnings TEXT
);
CREATE INDEX locations_row ON locations (row, id);
CREATE INDEX locations_id ON locations (id);
CREATE TABLE freed (row INTEGER PRIMARY KEY, changed INTEGER NOT NULL);
CREATE INDEX freed_changed ON freed (changed);
CREATE TABLE requires (row INTEGER NOT NULL, place INTEGER NOT NULL, key TEXT NOT NULL,
  PRIMARY KEY (row, place)) WITHOUT ROWID;
CREATE TABLE facts (key TEXT NOT NULL, value TEXT NOT NULL, row INTEGER NOT NULL,
  PRIMARY KEY (key, value, row)) WITHOUT ROWID;
CREATE INDEX facts_row ON facts (row);
CREATE TABLE vectors (
  encoder TEXT NOT NULL,
  view BLOB NOT NULL,
  vector BLOB NOT NULL,
  UNIQUE (view, encoder)
);
`;
