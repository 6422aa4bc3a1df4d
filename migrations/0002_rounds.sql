-- What rounds, models and options are. Every row belongs to one part of the publication, and its
-- content has a digest: a row with the digest that is there already is never written again.
-- Foreign keys are looked at when a transaction ends, because a delta brings its rows in any order.

create table public.publication_parts (
  part text primary key check (part ~ '^(catalog|round/.+|board/(weekly|monthly)|set/.+)$'),
  rows_sha256 text not null default '' check (rows_sha256 ~ '^([0-9a-f]{64})?$'),
  changed_at timestamptz not null default now()
);

-- One row: the instant of the publication, and a digest over all parts by which a reader sees
-- that it read between two syncs.
create table public.publication (
  only_row boolean primary key default true check (only_row),
  as_of text not null,
  is_synthetic boolean not null,
  parts_sha256 text not null check (parts_sha256 ~ '^[0-9a-f]{64}$'),
  changed_at timestamptz not null default now()
);

-- Whose models they are.
create table public.providers (
  part text not null references public.publication_parts deferrable initially deferred,
  content_sha256 text not null check (content_sha256 ~ '^[0-9a-f]{64}$'),
  provider text not null,
  primary key (provider),
  unique (part, content_sha256)
);

-- Models with a public decision.
create table public.models (
  part text not null references public.publication_parts deferrable initially deferred,
  content_sha256 text not null check (content_sha256 ~ '^[0-9a-f]{64}$'),
  model_id text not null,
  name text not null,
  provider text not null,
  decisions bigint not null,
  resolved_decisions bigint not null,
  first_round_id text not null,
  last_round_id text not null,
  primary key (model_id),
  unique (part, content_sha256),
  foreign key (provider) references public.providers deferrable initially deferred,
  check (decisions >= resolved_decisions and resolved_decisions >= 0)
);

-- Sets of options that rounds share.
create table public.universes (
  part text not null references public.publication_parts deferrable initially deferred,
  content_sha256 text not null check (content_sha256 ~ '^[0-9a-f]{64}$'),
  universe_key text not null,
  option_count bigint not null,
  primary key (universe_key),
  unique (part, content_sha256),
  check (option_count >= 1)
);

-- Options of a universe.
create table public.options (
  part text not null references public.publication_parts deferrable initially deferred,
  content_sha256 text not null check (content_sha256 ~ '^[0-9a-f]{64}$'),
  universe_key text not null,
  position bigint not null,
  option_id text not null,
  name text not null,
  symbol text,
  asset_class text not null,
  category text not null,
  exposure_group text not null,
  risk_bucket text not null,
  currency text not null,
  is_reference boolean not null,
  is_cash boolean not null,
  primary key (universe_key, option_id),
  unique (part, content_sha256),
  unique (universe_key, position) deferrable initially deferred,
  foreign key (universe_key) references public.universes deferrable initially deferred,
  check (risk_bucket in ('cash', 'low', 'medium', 'high', 'very_high')),
  check (position >= 1)
);

-- Rounds and where they stand; `published` is the operator's, no sync turns it back on.
create table public.rounds (
  part text not null references public.publication_parts deferrable initially deferred,
  content_sha256 text not null check (content_sha256 ~ '^[0-9a-f]{64}$'),
  round_id text not null,
  state text not null,
  track text,
  title text not null,
  horizon text not null,
  decision_date date,
  decision_deadline_utc timestamptz,
  entry_date date,
  exit_date date,
  methodology_version text,
  universe_version text,
  universe_key text not null,
  reference_option_id text not null,
  submission_format text not null,
  official_run_id text,
  roster_version text,
  freeze_sha256 text,
  model_count bigint not null,
  control_count bigint not null,
  has_entry_prices boolean not null,
  is_synthetic boolean not null,
  published boolean not null default true,
  primary key (round_id),
  unique (part, content_sha256),
  check (state in ('draft', 'pending', 'overdue', 'resolved')),
  check (track in ('weekly', 'monthly')),
  check (submission_format in ('single_pick', 'portfolio')),
  foreign key (universe_key) references public.universes deferrable initially deferred,
  foreign key (universe_key, reference_option_id) references public.options deferrable initially deferred,
  check (freeze_sha256 ~ '^[0-9a-f]{64}$'),
  check (exit_date >= entry_date),
  check (state = 'draft' or official_run_id is not null),
  check (state <> 'resolved' or exit_date is not null),
  check (model_count >= 0 and control_count >= 0)
);

-- The run that counts, and runs of repeated calls.
create table public.runs (
  part text not null references public.publication_parts deferrable initially deferred,
  content_sha256 text not null check (content_sha256 ~ '^[0-9a-f]{64}$'),
  round_id text not null,
  run_id text not null,
  kind text not null,
  replicates bigint,
  primary key (round_id, run_id),
  unique (part, content_sha256),
  foreign key (round_id) references public.rounds deferrable initially deferred,
  check (kind in ('official', 'repeated')),
  check (replicates >= 1)
);

-- Digests of frozen files.
create table public.artifact_hashes (
  part text not null references public.publication_parts deferrable initially deferred,
  content_sha256 text not null check (content_sha256 ~ '^[0-9a-f]{64}$'),
  round_id text not null,
  path text not null,
  sha256 text not null,
  primary key (round_id, path),
  unique (part, content_sha256),
  foreign key (round_id) references public.rounds deferrable initially deferred,
  check (sha256 ~ '^[0-9a-f]{64}$')
);
