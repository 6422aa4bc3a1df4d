-- Parts as JSON text, from which a reader makes the publication again: text keeps every digit of a
-- number, and -0.0. What an open round may not tell has its own kind, and a kind for open rounds
-- refuses the members of a result.
create table public.publication_documents (
  part text not null references public.publication_parts deferrable initially deferred,
  content_sha256 text not null check (content_sha256 ~ '^[0-9a-f]{64}$'),
  kind text not null,
  name text not null,
  round_id text,
  day date,
  track text,
  set_id text,
  document text not null,
  primary key (kind, name),
  unique (part, content_sha256),
  check (kind in ('names', 'universe', 'round', 'decisions', 'interim', 'result', 'board', 'set')),
  check ((kind in ('round', 'decisions', 'interim', 'result')) = (round_id is not null)),
  check ((kind = 'interim') = (day is not null)),
  check ((kind = 'board') = (track is not null)),
  check ((kind = 'set') = (set_id is not null)),
  check (
    kind not in ('names', 'universe', 'round', 'decisions', 'interim')
    or document !~ '"(outcome|scored|score|rank|regret|oracle|returns|decision_return|primary_return|pick_rank|beats_reference|beats_cash|percentiles|chance|repeated|exit_price|alpha_per_dollar)"\s*:'
  ),
  foreign key (round_id) references public.rounds deferrable initially deferred,
  foreign key (track) references public.boards deferrable initially deferred,
  foreign key (set_id) references public.comparison_sets deferrable initially deferred
);

create index on public.publication_documents (round_id);

-- What syncs did; nobody but the service reads it.
create table public.sync_events (
  id bigint generated always as identity primary key,
  happened_at timestamptz not null default now(),
  as_of text not null,
  counts jsonb not null
);
