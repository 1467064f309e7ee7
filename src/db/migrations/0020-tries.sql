-- Tries of passwords, links and the like that several processes count together. May be lost with the server: then they
-- are counted anew.
create unlogged table tries (
  -- what is tried, and a hash of whom or what it is for
  subject text primary key,
  -- oldest first; never more than may be made
  moments timestamptz(3)[] not null,
  -- whether the last one was among them
  was_taken boolean not null,
  last_at timestamptz(3) not null
);
create index tries_old on tries (last_at);
