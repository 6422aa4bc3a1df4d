-- What was decided, public as soon as a run is the record; and what came of it, public once resolved.

-- Decisions of models.
create table public.submissions (
  part text not null references public.publication_parts deferrable initially deferred,
  content_sha256 text not null check (content_sha256 ~ '^[0-9a-f]{64}$'),
  round_id text not null,
  model_id text not null,
  provider text not null,
  submission_format text not null,
  confidence_fraction double precision not null,
  holding_count bigint not null,
  rationale_summary text not null,
  portfolio_rationale text,
  key_risks text not null,
  forecast_reference_percent double precision,
  forecast_portfolio_percent double precision,
  forecast_alpha_percent double precision,
  cost_usd double precision,
  input_tokens bigint,
  output_tokens bigint,
  latency_seconds double precision,
  primary key (round_id, model_id),
  unique (part, content_sha256),
  foreign key (round_id) references public.rounds deferrable initially deferred,
  foreign key (model_id) references public.models deferrable initially deferred,
  foreign key (provider) references public.providers deferrable initially deferred,
  check (submission_format in ('single_pick', 'portfolio')),
  check (confidence_fraction between 0 and 1),
  check (holding_count >= 1),
  check (cost_usd >= 0)
);

-- What they hold.
create table public.holdings (
  part text not null references public.publication_parts deferrable initially deferred,
  content_sha256 text not null check (content_sha256 ~ '^[0-9a-f]{64}$'),
  round_id text not null,
  model_id text not null,
  position bigint not null,
  option_id text not null,
  weight_bps bigint not null,
  rationale text not null,
  forecast_return_percent double precision,
  primary key (round_id, model_id, position),
  unique (part, content_sha256),
  foreign key (round_id, model_id) references public.submissions deferrable initially deferred,
  unique (round_id, model_id, option_id) deferrable initially deferred,
  check (position >= 1),
  check (weight_bps between 1 and 10000)
);

-- Decisions by rule.
create table public.controls (
  part text not null references public.publication_parts deferrable initially deferred,
  content_sha256 text not null check (content_sha256 ~ '^[0-9a-f]{64}$'),
  round_id text not null,
  control_id text not null,
  holding_count bigint not null,
  primary key (round_id, control_id),
  unique (part, content_sha256),
  foreign key (round_id) references public.rounds deferrable initially deferred,
  check (holding_count >= 1)
);

-- What those hold.
create table public.control_holdings (
  part text not null references public.publication_parts deferrable initially deferred,
  content_sha256 text not null check (content_sha256 ~ '^[0-9a-f]{64}$'),
  round_id text not null,
  model_id text not null,
  position bigint not null,
  option_id text not null,
  weight_bps bigint not null,
  rationale text not null,
  forecast_return_percent double precision,
  primary key (round_id, model_id, position),
  unique (part, content_sha256),
  foreign key (round_id, model_id) references public.controls (round_id, control_id) deferrable initially deferred,
  unique (round_id, model_id, option_id) deferrable initially deferred,
  check (position >= 1),
  check (weight_bps between 1 and 10000)
);

-- Provisional figures by day; never ranked.
create table public.interim_points (
  part text not null references public.publication_parts deferrable initially deferred,
  content_sha256 text not null check (content_sha256 ~ '^[0-9a-f]{64}$'),
  round_id text not null,
  snapshot_date date not null,
  model_id text not null,
  interim_return_fraction double precision not null,
  interim_reference_fraction double precision not null,
  interim_alpha_fraction double precision not null,
  primary key (round_id, snapshot_date, model_id),
  unique (part, content_sha256),
  foreign key (round_id, model_id) references public.submissions deferrable initially deferred
);

-- Starting and ending prices.
create table public.prices (
  part text not null references public.publication_parts deferrable initially deferred,
  content_sha256 text not null check (content_sha256 ~ '^[0-9a-f]{64}$'),
  round_id text not null,
  side text not null,
  option_id text not null,
  price_usd double precision not null,
  price_field text not null,
  primary key (round_id, side, option_id),
  unique (part, content_sha256),
  foreign key (round_id) references public.rounds deferrable initially deferred,
  check (side in ('entry', 'exit')),
  check (price_usd > 0)
);

-- Results of rounds.
create table public.round_results (
  part text not null references public.publication_parts deferrable initially deferred,
  content_sha256 text not null check (content_sha256 ~ '^[0-9a-f]{64}$'),
  round_id text not null,
  reference_return_fraction double precision not null,
  cash_return_fraction double precision not null,
  oracle_return_fraction double precision,
  oracle_return_fraction_reason text,
  market_regime text,
  random_low_fraction double precision,
  random_median_fraction double precision,
  random_high_fraction double precision,
  random_reason text,
  primary key (round_id),
  unique (part, content_sha256),
  foreign key (round_id) references public.rounds deferrable initially deferred,
  check ((oracle_return_fraction is null) = (oracle_return_fraction_reason is not null))
);

-- Returns of options.
create table public.option_returns (
  part text not null references public.publication_parts deferrable initially deferred,
  content_sha256 text not null check (content_sha256 ~ '^[0-9a-f]{64}$'),
  round_id text not null,
  option_id text not null,
  return_fraction double precision not null,
  rank bigint,
  primary key (round_id, option_id),
  unique (part, content_sha256),
  foreign key (round_id) references public.rounds deferrable initially deferred,
  check (rank >= 1)
);

-- Figures of decisions.
create table public.outcomes (
  part text not null references public.publication_parts deferrable initially deferred,
  content_sha256 text not null check (content_sha256 ~ '^[0-9a-f]{64}$'),
  round_id text not null,
  model_id text not null,
  rank bigint,
  return_fraction double precision not null,
  alpha_fraction double precision not null,
  regret_fraction double precision,
  score double precision,
  score_reason text,
  beats_reference boolean not null,
  beats_cash boolean not null,
  random_percentile_fraction double precision,
  random_matched_percentile_fraction double precision,
  primary_option_id text not null,
  primary_return_fraction double precision not null,
  hhi double precision not null,
  alpha_per_usd double precision,
  pick_rank bigint,
  primary key (round_id, model_id),
  unique (part, content_sha256),
  foreign key (round_id, model_id) references public.submissions deferrable initially deferred,
  foreign key (round_id) references public.round_results deferrable initially deferred,
  check (rank >= 1),
  check ((score is null) = (score_reason is not null)),
  check (random_percentile_fraction between 0 and 1)
);

-- Figures of decisions by rule.
create table public.control_outcomes (
  part text not null references public.publication_parts deferrable initially deferred,
  content_sha256 text not null check (content_sha256 ~ '^[0-9a-f]{64}$'),
  round_id text not null,
  model_id text not null,
  rank bigint,
  return_fraction double precision not null,
  alpha_fraction double precision not null,
  regret_fraction double precision,
  score double precision,
  score_reason text,
  beats_reference boolean not null,
  beats_cash boolean not null,
  random_percentile_fraction double precision,
  random_matched_percentile_fraction double precision,
  primary_option_id text not null,
  primary_return_fraction double precision not null,
  hhi double precision not null,
  alpha_per_usd double precision,
  pick_rank bigint,
  primary key (round_id, model_id),
  unique (part, content_sha256),
  foreign key (round_id, model_id) references public.controls (round_id, control_id) deferrable initially deferred,
  foreign key (round_id) references public.round_results deferrable initially deferred,
  check ((score is null) = (score_reason is not null)),
  check (random_percentile_fraction between 0 and 1)
);

-- What repeated calls showed.
create table public.repeated_calls (
  part text not null references public.publication_parts deferrable initially deferred,
  content_sha256 text not null check (content_sha256 ~ '^[0-9a-f]{64}$'),
  round_id text not null,
  run_id text not null,
  model_id text not null,
  valid_replicates bigint not null,
  invalid_replicates bigint not null,
  modal_option_id text,
  consistency_rate_fraction double precision,
  overlap_fraction double precision,
  average_return_fraction double precision,
  average_alpha_fraction double precision,
  figures_reason text,
  primary key (round_id, run_id, model_id),
  unique (part, content_sha256),
  foreign key (round_id, run_id) references public.runs deferrable initially deferred,
  check (valid_replicates >= 0 and invalid_replicates >= 0)
);

create index on public.submissions (model_id);
create index on public.interim_points (round_id, model_id);
create index on public.holdings (option_id);
