#!/bin/sh
# Run once, by the image of PostgreSQL, when its volume is new: a database, and a login that may only read.
set -e
psql --set ON_ERROR_STOP=1 --set password="$PG_PASSWORD" --username postgres <<'SQL'
CREATE DATABASE reports;
CREATE ROLE reports LOGIN PASSWORD :'password' NOSUPERUSER;
ALTER ROLE reports SET default_transaction_read_only = on;
\connect reports
CREATE TABLE orders (id integer PRIMARY KEY, region text NOT NULL, amount numeric NOT NULL);
INSERT INTO orders VALUES (1, 'North', 120.5), (2, 'South', 80), (3, 'West', 310.25);
GRANT pg_read_all_data TO reports;
SQL
