-- name: role_exists
SELECT 1 FROM pg_catalog.pg_roles WHERE rolname = %s

-- name: database_exists
SELECT 1 FROM pg_catalog.pg_database WHERE datname = %s

-- name: create_login_role
CREATE ROLE {role} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION

-- name: create_group_role
CREATE ROLE {role} NOLOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION

-- name: create_database
CREATE DATABASE {database} OWNER {owner}

-- name: clone_database
CREATE DATABASE {database} OWNER {owner} TEMPLATE {template}

-- name: close_database
REVOKE ALL ON DATABASE {database} FROM PUBLIC

-- name: open_database
GRANT CONNECT ON DATABASE {database} TO {app}

-- name: may_become
-- A superuser may become every role; a member whose grant lacks SET may not.
SELECT CASE WHEN current_setting('server_version_num')::int >= 160000
            THEN pg_has_role(current_user, %s, 'SET')
            ELSE pg_has_role(current_user, %s, 'MEMBER') END

-- name: grant_app
GRANT {app} TO CURRENT_USER
