-- People and how they got in: users, sessions of browsers, logins of programs, revoked tokens.
-- Of anything that opens a door only a digest is kept.

create table windlass_users (
    name       text        primary key,
    password   text        not null,
    scopes     text        not null,
    created_at timestamptz not null,
    changed_at timestamptz not null
);

create table windlass_sessions (
    digest   text        primary key,
    name     text        not null references windlass_users (name) on delete cascade,
    began_at timestamptz not null,
    seen_at  timestamptz not null
);

create index windlass_sessions_name on windlass_sessions (name);
create index windlass_sessions_seen on windlass_sessions (seen_at);

create table windlass_logins (
    family     text        primary key,
    name       text        not null references windlass_users (name) on delete cascade,
    digest     text        not null,
    began_at   timestamptz not null,
    expires_at timestamptz not null
);

create index windlass_logins_name on windlass_logins (name);
create index windlass_logins_end on windlass_logins (expires_at);

create table windlass_revoked (
    id         text        primary key,
    revoked_at timestamptz not null,
    expires_at timestamptz not null
);

create index windlass_revoked_lately on windlass_revoked (revoked_at);
create index windlass_revoked_end on windlass_revoked (expires_at);
