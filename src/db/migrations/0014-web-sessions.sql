-- A sign-in belongs to a device that uses the API, or to a browser that shows the pages; neither counts as the other.
-- `code`: the password was right, and the second factor is still to come.
alter table user_sessions
  add column kind text not null default 'api' check (kind in ('api', 'web', 'code')),
  -- what signed in, as far as it says so: a browser and its system
  add column device text,
  add column last_used_at timestamptz(3);
update user_sessions set last_used_at = created_at;
alter table user_sessions
  alter column kind drop default,
  alter column last_used_at set not null;
create index user_sessions_over on user_sessions (expires_at);
