#!/bin/sh
# Run once by the image, as the superuser, when the database is made. The server's login is no
# superuser: it owns the database, for the tables, and steps down to reasonloom_app for its work.
set -eu
: "${REASONLOOM_LOGIN_PASSWORD:?set it in packaging/compose.env}"
psql --no-psqlrc --set ON_ERROR_STOP=1 --set login_password="$REASONLOOM_LOGIN_PASSWORD" \
  --username "${POSTGRES_USER:-postgres}" --dbname "$POSTGRES_DB" <<'SQL'
CREATE EXTENSION IF NOT EXISTS vector;
CREATE ROLE reasonloom_app NOLOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS;
CREATE ROLE reasonloom_login LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS
  PASSWORD :'login_password';
GRANT reasonloom_app TO reasonloom_login;
SELECT format('ALTER DATABASE %I OWNER TO reasonloom_login', current_database()) \gexec
SELECT format('REVOKE CONNECT, TEMPORARY ON DATABASE %I FROM PUBLIC', current_database()) \gexec
SQL
