-- The second factor of those who want one: an app that shows a new code every half minute (RFC 6238).
create table second_factors (
  user_id uuid primary key references users on delete cascade,
  -- sealed
  secret bytea not null,
  -- null while the app is being set up
  confirmed_at timestamptz(3),
  -- the newest time step whose code was used: neither it nor an older one counts again
  last_step bigint,
  created_at timestamptz(3) not null
);

-- Codes for the day when the app is lost, each good once. Random enough for a plain hash.
create table recovery_codes (
  user_id uuid not null references users on delete cascade,
  code_hash bytea not null,
  used_at timestamptz(3),
  created_at timestamptz(3) not null,
  primary key (user_id, code_hash)
);
