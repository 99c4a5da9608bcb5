"""Grants on spaces, the members of teams and groups, and the log of who used whose space.

A transaction in another owner's space keeps its own owner in `app.owner` and sets `app.host`. Only
the tables of memories follow the host, by a grant in force; all others stay the caller's own.
"""

from alembic import op

from reasonloom.stores.migrations.rls import APP_ROLE, RECOVERY, SPACE, reached, share

revision = "0021"
down_revision = "0020"

TABLES = """
CREATE TABLE grants (
    owner text NOT NULL,
    space text NOT NULL,
    grantee text NOT NULL,
    rights text[] NOT NULL CHECK (cardinality(rights) > 0
        AND rights <@ ARRAY['read', 'write', 'promote', 'admin']),
    granted_by text NOT NULL,
    granted_at timestamptz NOT NULL,
    revoked_at timestamptz,
    PRIMARY KEY (owner, space, grantee),
    CHECK (grantee <> owner OR owner LIKE 'team/%'),
    CHECK (space <> '' OR owner LIKE 'team/%')
);
CREATE INDEX grants_by_grantee ON grants (grantee);
CREATE TABLE memberships (
    owner text NOT NULL CHECK (owner LIKE 'team/%' OR owner LIKE 'group/%'),
    member text NOT NULL CHECK (member NOT LIKE 'team/%' AND member NOT LIKE 'group/%'),
    added_by text NOT NULL,
    added_at timestamptz NOT NULL,
    removed_at timestamptz,
    PRIMARY KEY (owner, member)
);
CREATE INDEX memberships_by_member ON memberships (member);
CREATE TABLE audit_log (
    owner text NOT NULL,
    id uuid NOT NULL DEFAULT gen_random_uuid(),
    at timestamptz NOT NULL,
    principal text NOT NULL,
    action text NOT NULL,
    tool text NOT NULL,
    space text NOT NULL,
    memories bigint[] NOT NULL DEFAULT '{}',
    subject text,
    rights text[] NOT NULL DEFAULT '{}',
    PRIMARY KEY (owner, id)
);
CREATE INDEX audit_log_by_time ON audit_log (owner, at);
CREATE INDEX audit_log_by_principal ON audit_log (principal);
"""
"""A person's default space is never granted; the members of a team act by the grants to it."""

RIGHTS_ON = """
CREATE FUNCTION rights_on(host text, place text) RETURNS text[]
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = reasonloom, pg_temp AS $$
DECLARE
    person text := nullif(current_setting('app.owner', true), '');
    claimed jsonb := coalesce(nullif(current_setting('app.groups', true), ''), '[]')::jsonb;
BEGIN
    IF host LIKE 'group/%' OR person IS NULL THEN
        RETURN '{}';
    END IF;
    RETURN (SELECT coalesce(array_agg(DISTINCT each), '{}') FROM grants g, unnest(g.rights) each
        WHERE g.owner = host AND g.revoked_at IS NULL
            AND (g.space = place OR (g.space = '' AND each = 'admin'))
            AND (g.grantee = person OR EXISTS (SELECT FROM memberships m
                WHERE m.owner = g.grantee AND m.member = person AND m.removed_at IS NULL
                    AND (m.owner LIKE 'team/%' OR claimed ? substr(m.owner, 7)))));
END $$
"""
"""What the caller may do in a space, by grants in force now; `admin` of a team's own space is
`admin` of all its spaces. Groups act only if the caller's token claims them."""

REACHED_OWNER = """
CREATE FUNCTION reached_owner(wanted text) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = reasonloom, pg_temp AS $$
DECLARE
    host text := current_setting('app.host', true);
    found text[] := rights_on(host, coalesce(current_setting('app.space', true), ''));
BEGIN
    RETURN CASE WHEN found && CASE wanted
        WHEN 'read' THEN ARRAY['read', 'write', 'promote', 'admin']
        WHEN 'promote' THEN ARRAY['promote', 'write', 'admin']
        WHEN 'write' THEN ARRAY['write', 'admin']
        ELSE ARRAY['admin'] END THEN host END;
END $$
"""
"""The host if the caller's rights in the transaction's space include the wanted one."""

SPACES_FOR = """
CREATE FUNCTION spaces_for() RETURNS TABLE (owner text, space text, rights text[])
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = reasonloom, pg_temp AS $$
    SELECT place.owner, place.space, found.rights FROM (
        SELECT g.owner, g.space FROM grants g WHERE g.revoked_at IS NULL
            AND (g.grantee = nullif(current_setting('app.owner', true), '')
            OR g.grantee IN (SELECT m.owner FROM memberships m
                WHERE m.member = nullif(current_setting('app.owner', true), '')
                    AND m.removed_at IS NULL))
        UNION SELECT s.owner, s.space FROM spaces s JOIN grants g
            ON g.owner = s.owner AND g.space = '' AND 'admin' = ANY(g.rights)
            AND g.revoked_at IS NULL AND s.space <> ''
            AND g.grantee = nullif(current_setting('app.owner', true), '')) place,
        LATERAL (SELECT rights_on(place.owner, place.space) AS rights) found
    WHERE cardinality(found.rights) > 0 ORDER BY 1, 2
$$
"""

KNOWN_TEAM = """
CREATE FUNCTION known_team(name text) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = reasonloom, pg_temp AS $$
    SELECT name LIKE 'team/%' AND EXISTS (SELECT FROM owners o WHERE o.owner = name)
$$
"""
"""A grant to a team that does not exist would act for whoever creates it."""

REDACT_SHARED = r"""
CREATE FUNCTION redact_shared(ids bigint[], address text) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = reasonloom, pg_temp AS $$
DECLARE
    caller text := coalesce(current_setting('app.owner', true), '');
    guest text := coalesce(current_setting('app.host', true), '');
    place text := coalesce(current_setting('app.space', true), '');
    host text := CASE WHEN guest = '' THEN nullif(caller, '')
        ELSE reached_owner('write') END;
    prefix text;
    plain text[];
    names text[];
    person text;
    persons text[];
    storing uuid[];
    touched uuid[];
    redacted integer := 0;
BEGIN
    IF host IS NULL OR (place = '' AND host NOT LIKE 'team/%')
        OR address NOT SIMILAR TO '(team|user)/%' THEN
        RETURN 0;
    END IF;
    SELECT array_agg('mem-' || m.id), array_agg(m.run_id), array_agg(m.principal)
        INTO plain, storing, persons FROM memories m
        WHERE m.owner = host AND m.space = place AND m.id = ANY(ids);
    IF plain IS NULL THEN
        RETURN 0;
    END IF;
    SELECT array_agg(DISTINCT each) INTO persons FROM (
        SELECT unnest(persons) AS each UNION SELECT caller UNION SELECT host
        UNION SELECT l.principal FROM audit_log l
            WHERE l.owner = host AND l.space = place AND l.memories && ids) involved;
    PERFORM set_config('app.host', '', true);
    FOREACH person IN ARRAY persons LOOP
        PERFORM set_config('app.owner', person, true);
        prefix := CASE WHEN person = host THEN 'me/' || place ELSE address END;
        names := (SELECT array_agg(prefix || '\:' || name) FROM unnest(plain) name);
        names := CASE WHEN person = host THEN names || plain ELSE names END;
        touched := ARRAY(SELECT r.id FROM runs r WHERE r.owner = person AND (r.id = ANY(storing)
            OR r.output -> 'memories' ?| names
            OR EXISTS (SELECT FROM jsonb_path_query(r.output,
                '$.answer.** ? (@.type() == "string")') AS said (value)
                WHERE value #>> '{}' = ANY(names))));
        UPDATE runs SET input = '{"redacted": true}', output = CASE WHEN output IS NOT NULL
            THEN '{"redacted": true}'\:\:jsonb END WHERE owner = person AND id = ANY(touched);
        UPDATE llm_calls SET reply = '{"redacted": true}', messages = NULL
            WHERE owner = person AND run_id = ANY(touched);
        DELETE FROM checkpoints c USING unnest(touched) run WHERE c.thread_id = person||'/'||run;
        DELETE FROM checkpoint_blobs c USING unnest(touched) run
            WHERE c.thread_id = person||'/'||run;
        DELETE FROM checkpoint_writes c USING unnest(touched) run
            WHERE c.thread_id = person||'/'||run;
        redacted := redacted + cardinality(touched);
    END LOOP;
    PERFORM set_config('app.owner', caller, true), set_config('app.host', guest, true);
    RETURN redacted;
END $$
"""
"""Redacts the runs that stored or quoted memories of a shared space, by the right to write there.

They belong to their callers: the writers, and those whom the log of the space names. Each one's
are redacted under the policies for its own rows. `address` is the space's name for others."""

PERSON = "(SELECT nullif(current_setting('app.owner', true), ''))"
BY_ADMIN = f"owner = {reached('admin')}"
AT_HOME = "(SELECT coalesce(current_setting('app.host', true), '')) = ''"
IN_WHOLE = "(SELECT coalesce(current_setting('app.space', true), '')) = ''"
BY_ADMIN_HERE = f"({BY_ADMIN} AND ({AT_HOME} OR {IN_WHOLE} OR {SPACE}))"
"""With a host, an admin of one space sees and changes only what concerns that space; an admin of
a team's own space, what concerns any."""

BY_TEAM_ADMIN = f"({BY_ADMIN} AND ({AT_HOME} OR {IN_WHOLE}))"
CLAIMED = (
    f"(member = {PERSON} AND owner LIKE 'group/%' AND coalesce(nullif(current_setting("
    "'app.groups', true), ''), '[]')::jsonb ? substr(owner, 7))"
)
LEAVING = f"(member = {PERSON} AND removed_at IS NOT NULL)"
WAIVED = f"(grantee = {PERSON} AND revoked_at IS NOT NULL)"
OWN = "grants", "memberships", "audit_log"
POLICIES = (
    f"CREATE POLICY owners_rows ON grants FOR SELECT TO {APP_ROLE} "
    f"USING ({BY_ADMIN_HERE} OR grantee = {PERSON})",
    f"CREATE POLICY owners_additions ON grants FOR INSERT TO {APP_ROLE} "
    f"WITH CHECK ({BY_ADMIN_HERE})",
    f"CREATE POLICY owners_changes ON grants FOR UPDATE TO {APP_ROLE} "
    f"USING ({BY_ADMIN_HERE} OR grantee = {PERSON}) WITH CHECK ({BY_ADMIN_HERE} OR {WAIVED})",
    f"CREATE POLICY owners_rows ON memberships FOR SELECT TO {APP_ROLE} "
    f"USING ({BY_TEAM_ADMIN} OR member = {PERSON})",
    f"CREATE POLICY owners_additions ON memberships FOR INSERT TO {APP_ROLE} "
    f"WITH CHECK ({BY_TEAM_ADMIN} OR {CLAIMED})",
    f"CREATE POLICY owners_changes ON memberships FOR UPDATE TO {APP_ROLE} "
    f"USING ({BY_TEAM_ADMIN} OR member = {PERSON}) WITH CHECK ({BY_TEAM_ADMIN} OR {LEAVING})",
    f"CREATE POLICY owners_rows ON audit_log FOR SELECT TO {APP_ROLE} USING ({BY_ADMIN_HERE})",
    f"CREATE POLICY owners_additions ON audit_log FOR INSERT TO {APP_ROLE} "
    f"WITH CHECK (owner = {reached('read')} AND ({AT_HOME} OR {SPACE}))",
    f"GRANT SELECT, INSERT, UPDATE ON grants, memberships TO {APP_ROLE}",
    f"GRANT SELECT, INSERT ON audit_log TO {APP_ROLE}",
)
REWRITTEN = ("grants", "memberships", "audit_log")
"""The tables in which the tables' owner replaces the name of a person who is erased."""

LOOKED_UP = ("grants", "memberships", "spaces", "owners")
"""The tables that these functions read, as the tables' owner."""

IN_SPACE = f"owner = {{owner}} AND {SPACE}"
PROMOTED = f"""(owner = {reached("write")}
    OR (tool = 'memory_promote' AND owner = {reached("promote")})) AND {SPACE}"""
SHARED = (
    *share("memories", IN_SPACE, write="write", insert=PROMOTED),
    *share("sessions", IN_SPACE, write="promote"),
    *share("terms", IN_SPACE, write="promote"),
    *share(
        "spaces", f"owner = {{owner}} AND ({AT_HOME} OR {SPACE}) OR {RECOVERY}", write="promote"
    ),
    *share("embeddings", "owner = {owner}", write="promote"),
    *share("edges", "owner = {owner}", write="promote"),
    *share("owners", "owner = {owner}", write="promote"),
)


def upgrade() -> None:
    """Create tables, functions and policies; what is stored already is shared with nobody."""
    for statement in filter(str.strip, TABLES.split(";\n")):
        op.execute(statement)
    for table in OWN:
        op.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")
        op.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")
    functions = RIGHTS_ON, REACHED_OWNER, SPACES_FOR, KNOWN_TEAM, REDACT_SHARED
    for statement in (*functions, *POLICIES, *SHARED):
        op.execute(statement)
    for table in LOOKED_UP:
        op.execute(f"CREATE POLICY looked_up ON {table} FOR SELECT TO CURRENT_USER USING (true)")
    for table in REWRITTEN:
        op.execute(f"CREATE POLICY rewritten ON {table} TO CURRENT_USER USING (true)")
