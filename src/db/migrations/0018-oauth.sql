-- Programs that registered themselves (RFC 7591). What they say of themselves is sealed: some of them have a secret.
create table oauth_clients (
  id text primary key,
  metadata bytea not null,
  created_at timestamptz(3) not null
);

-- An assistant that somebody let work for a merchant. Its tokens are good while it stands.
create table oauth_connections (
  id uuid primary key,
  merchant_id uuid not null references merchants,
  livemode boolean not null,
  user_id uuid not null references users on delete cascade,
  client_id text not null references oauth_clients,
  -- as they were shown to who agreed
  client_name text not null,
  redirect_host text not null,
  scopes text[] not null,
  last_used_at timestamptz(3),
  revoked_at timestamptz(3),
  created_at timestamptz(3) not null
);
create index oauth_connections_newest on oauth_connections (merchant_id, livemode, created_at desc, id desc);
create index oauth_connections_user on oauth_connections (user_id);
create index oauth_connections_client on oauth_connections (client_id);
create index oauth_connections_revoked on oauth_connections (revoked_at) where revoked_at is not null;

-- Codes, tokens and half-done authorizations. Found by the SHA-256 of what the client holds; the rest is sealed.
create table oauth_artifacts (
  model text not null,
  id_hash bytea not null,
  payload bytea not null,
  connection_id uuid references oauth_connections on delete cascade,
  client_id text references oauth_clients on delete cascade,
  -- of access tokens
  scope text,
  audience text,
  -- null: as long as what it belongs to
  expires_at timestamptz(3),
  consumed_at timestamptz(3),
  created_at timestamptz(3) not null,
  primary key (model, id_hash)
);
create index oauth_artifacts_connection on oauth_artifacts (connection_id) where connection_id is not null;
create index oauth_artifacts_client on oauth_artifacts (client_id) where client_id is not null;
create index oauth_artifacts_expired on oauth_artifacts (expires_at) where expires_at is not null;

-- Assistants end their own connections.
alter table audit_log drop constraint audit_log_actor_check;
alter table audit_log add constraint audit_log_actor_check
  check (actor in ('api_token', 'oauth_connection', 'user', 'operator'));
