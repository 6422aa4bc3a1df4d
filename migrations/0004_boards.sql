-- Boards and comparison sets; each says which resolved rounds it is made of, and is readable only
-- while all of them are resolved.

-- One row per track.
create table public.boards (
  part text not null references public.publication_parts deferrable initially deferred,
  content_sha256 text not null check (content_sha256 ~ '^[0-9a-f]{64}$'),
  track text not null,
  resolved_round_count bigint not null,
  latest_round_id text,
  primary key (track),
  unique (part, content_sha256),
  check (track in ('weekly', 'monthly')),
  check (resolved_round_count >= 0)
);

-- Resolved rounds that the boards of a track count.
create table public.board_rounds (
  part text not null references public.publication_parts deferrable initially deferred,
  content_sha256 text not null check (content_sha256 ~ '^[0-9a-f]{64}$'),
  track text not null,
  round_id text not null,
  primary key (track, round_id),
  unique (part, content_sha256),
  foreign key (track) references public.boards deferrable initially deferred,
  foreign key (round_id) references public.rounds deferrable initially deferred
);

alter table public.boards add foreign key (track, latest_round_id) references public.board_rounds deferrable initially deferred;

-- The board over all rounds.
create table public.cumulative (
  part text not null references public.publication_parts deferrable initially deferred,
  content_sha256 text not null check (content_sha256 ~ '^[0-9a-f]{64}$'),
  track text not null,
  position bigint not null,
  model_id text not null,
  provider text not null,
  resolved_rounds bigint not null,
  is_complete boolean not null,
  score double precision,
  score_reason text,
  first_places bigint not null,
  average_return_fraction double precision not null,
  average_reference_fraction double precision not null,
  average_alpha_fraction double precision not null,
  median_alpha_fraction double precision not null,
  compounded_return_fraction double precision not null,
  compounded_reference_fraction double precision not null,
  log_alpha double precision not null,
  hit_rate_reference_fraction double precision not null,
  hit_rate_cash_fraction double precision not null,
  average_regret_fraction double precision,
  best_alpha_fraction double precision not null,
  worst_alpha_fraction double precision not null,
  total_cost_usd double precision,
  average_cost_usd double precision,
  primary key (track, model_id),
  unique (part, content_sha256),
  foreign key (track) references public.boards deferrable initially deferred,
  foreign key (model_id) references public.models deferrable initially deferred,
  unique (track, position) deferrable initially deferred,
  check ((score is null) = (score_reason is not null))
);

-- The board of repeated calls.
create table public.consistency (
  part text not null references public.publication_parts deferrable initially deferred,
  content_sha256 text not null check (content_sha256 ~ '^[0-9a-f]{64}$'),
  track text not null,
  position bigint not null,
  model_id text not null,
  provider text not null,
  resolved_rounds bigint not null,
  valid_replicates bigint not null,
  average_return_fraction double precision not null,
  average_alpha_fraction double precision not null,
  median_alpha_fraction double precision not null,
  best_alpha_fraction double precision not null,
  worst_alpha_fraction double precision not null,
  average_consistency_rate_fraction double precision not null,
  average_overlap_fraction double precision not null,
  average_modal_alpha_fraction double precision not null,
  total_cost_usd double precision,
  average_cost_per_round_usd double precision,
  primary key (track, model_id),
  unique (part, content_sha256),
  foreign key (track) references public.boards deferrable initially deferred,
  unique (track, position) deferrable initially deferred
);

-- Habits of models.
create table public.behaviour (
  part text not null references public.publication_parts deferrable initially deferred,
  content_sha256 text not null check (content_sha256 ~ '^[0-9a-f]{64}$'),
  track text not null,
  model_id text not null,
  decisions bigint not null,
  average_holdings double precision not null,
  average_hhi double precision not null,
  average_largest_fraction double precision not null,
  average_turnover_fraction double precision,
  average_difference_fraction double precision,
  average_risk_taking_points double precision not null,
  average_confidence_fraction double precision not null,
  calibration_rounds bigint,
  calibration_confidence_fraction double precision,
  calibration_hit_rate_fraction double precision,
  calibration_brier double precision,
  cost_per_decision_usd double precision,
  primary key (track, model_id),
  unique (part, content_sha256),
  foreign key (track) references public.boards deferrable initially deferred,
  foreign key (model_id) references public.models deferrable initially deferred
);

-- Habits by decision.
create table public.habits (
  part text not null references public.publication_parts deferrable initially deferred,
  content_sha256 text not null check (content_sha256 ~ '^[0-9a-f]{64}$'),
  track text not null,
  model_id text not null,
  round_id text not null,
  hhi double precision not null,
  turnover_fraction double precision,
  difference_fraction double precision,
  risk_taking_points double precision not null,
  primary key (track, model_id, round_id),
  unique (part, content_sha256),
  foreign key (track) references public.boards deferrable initially deferred,
  foreign key (round_id) references public.rounds deferrable initially deferred
);

-- Mean weights.
create table public.exposures (
  part text not null references public.publication_parts deferrable initially deferred,
  content_sha256 text not null check (content_sha256 ~ '^[0-9a-f]{64}$'),
  track text not null,
  model_id text not null,
  dimension text not null,
  value text not null,
  average_weight_fraction double precision not null,
  primary key (track, model_id, dimension, value),
  unique (part, content_sha256),
  foreign key (track) references public.boards deferrable initially deferred,
  foreign key (model_id) references public.models deferrable initially deferred,
  check (dimension in ('exposure_group', 'risk_bucket'))
);

-- What records may claim.
create table public.statistics (
  part text not null references public.publication_parts deferrable initially deferred,
  content_sha256 text not null check (content_sha256 ~ '^[0-9a-f]{64}$'),
  track text not null,
  model_id text not null,
  rounds bigint not null,
  effective_windows double precision not null,
  alpha_fraction double precision,
  alpha_low_fraction double precision,
  alpha_high_fraction double precision,
  alpha_t double precision,
  alpha_p_value double precision,
  alpha_basis text not null,
  alpha_days bigint,
  alpha_resampled_low_fraction double precision,
  alpha_resampled_high_fraction double precision,
  score_low double precision,
  score_high double precision,
  score_interval_reason text,
  random_percentile_fraction double precision,
  random_z double precision,
  random_p_value double precision,
  random_matched_percentile_fraction double precision,
  random_matched_p_value double precision,
  detectable_fraction double precision,
  years_to_know double precision,
  noise_decision double precision,
  noise_market double precision,
  noise_decision_share_fraction double precision,
  brier double precision,
  brier_low double precision,
  brier_high double precision,
  primary key (track, model_id),
  unique (part, content_sha256),
  foreign key (track) references public.boards deferrable initially deferred,
  foreign key (model_id) references public.models deferrable initially deferred
);

-- Stated confidence against what came of it.
create table public.reliability (
  part text not null references public.publication_parts deferrable initially deferred,
  content_sha256 text not null check (content_sha256 ~ '^[0-9a-f]{64}$'),
  track text not null,
  model_id text not null,
  from_fraction double precision not null,
  to_fraction double precision not null,
  decisions bigint not null,
  effective_windows double precision not null,
  confidence_fraction double precision not null,
  hit_rate_fraction double precision not null,
  primary key (track, model_id, from_fraction),
  unique (part, content_sha256),
  foreign key (track) references public.boards deferrable initially deferred,
  foreign key (model_id) references public.models deferrable initially deferred
);

-- Fixed rosters over shared rounds.
create table public.comparison_sets (
  part text not null references public.publication_parts deferrable initially deferred,
  content_sha256 text not null check (content_sha256 ~ '^[0-9a-f]{64}$'),
  set_id text not null,
  track text not null,
  label text not null,
  status text not null,
  origin text not null,
  roster_rule text not null,
  started_round_id text not null,
  model_count bigint not null,
  included_round_count bigint not null,
  excluded_round_count bigint not null,
  separate_windows bigint not null,
  effective_windows double precision,
  leader_deflated_probability double precision,
  primary key (set_id),
  unique (part, content_sha256),
  check (track in ('weekly', 'monthly')),
  check (status in ('current', 'qualified', 'forming', 'waiting')),
  check (origin in ('policy', 'discovered')),
  check (roster_rule in ('contains', 'frozen')),
  check (included_round_count >= 0 and excluded_round_count >= 0)
);

-- Rosters.
create table public.set_models (
  part text not null references public.publication_parts deferrable initially deferred,
  content_sha256 text not null check (content_sha256 ~ '^[0-9a-f]{64}$'),
  set_id text not null,
  model_id text not null,
  primary key (set_id, model_id),
  unique (part, content_sha256),
  foreign key (set_id) references public.comparison_sets deferrable initially deferred
);

-- Candidate rounds.
create table public.set_rounds (
  part text not null references public.publication_parts deferrable initially deferred,
  content_sha256 text not null check (content_sha256 ~ '^[0-9a-f]{64}$'),
  set_id text not null,
  round_id text not null,
  role text not null,
  excluded_reason text,
  missing_model_ids text,
  primary key (set_id, round_id),
  unique (part, content_sha256),
  foreign key (set_id) references public.comparison_sets deferrable initially deferred,
  foreign key (round_id) references public.rounds deferrable initially deferred,
  check (role in ('included', 'excluded'))
);

-- Rows of sets.
create table public.set_rows (
  part text not null references public.publication_parts deferrable initially deferred,
  content_sha256 text not null check (content_sha256 ~ '^[0-9a-f]{64}$'),
  set_id text not null,
  entrant text not null,
  position bigint,
  model_id text,
  score double precision,
  score_reason text,
  score_low double precision,
  score_high double precision,
  score_interval_reason text,
  rank_from bigint,
  rank_to bigint,
  tie_group bigint,
  total_return_fraction double precision,
  average_return_fraction double precision,
  average_alpha_fraction double precision,
  positive_alpha_fraction double precision,
  first_places bigint,
  random_percentile_fraction double precision,
  random_p_value double precision,
  entrant_id text not null,
  primary key (set_id, entrant_id),
  unique (part, content_sha256),
  foreign key (set_id) references public.comparison_sets deferrable initially deferred,
  check (entrant in ('model', 'reference', 'cash', 'oracle', 'control')),
  check (entrant_id = coalesce(model_id, entrant))
);

-- Models of a set against each other.
create table public.pairs (
  part text not null references public.publication_parts deferrable initially deferred,
  content_sha256 text not null check (content_sha256 ~ '^[0-9a-f]{64}$'),
  set_id text not null,
  first_model_id text not null,
  second_model_id text not null,
  difference_fraction double precision,
  difference_low_fraction double precision,
  difference_high_fraction double precision,
  difference_t double precision,
  difference_p_value double precision,
  difference_basis text not null,
  difference_days bigint,
  p_adjusted double precision,
  primary key (set_id, first_model_id, second_model_id),
  unique (part, content_sha256),
  foreign key (set_id) references public.comparison_sets deferrable initially deferred
);
