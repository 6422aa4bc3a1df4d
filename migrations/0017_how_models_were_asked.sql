-- How models were asked, what servers said about the calls, and how many calls an answer took; none of it for
-- rounds whose ledger does not tell. Boards carry the names for people, and tell of how many rounds they know
-- the cost. The next sync writes every row again, with the digest of what it says now.
alter table public.submissions
  add column reasoning_tokens bigint,
  add column display_name text,
  add column api_model_name text,
  add column schema_mode text check (schema_mode in ('full', 'json', 'none')),
  add column reasoning text,
  add column temperature double precision,
  add column temperature_reason text,
  add column max_output_tokens bigint,
  add column time_limit_seconds double precision,
  add column service_tier_asked text,
  add column routing text,
  add column extra_fields text,
  add column request_sha256 text,
  add column served_model text,
  add column service_tier_served text,
  add column answered_by text,
  add column billed_usd double precision check (billed_usd >= 0),
  add column card_usd double precision check (card_usd >= 0),
  add column attempts bigint check (attempts >= 1),
  add column attempts_unseen bigint check (attempts_unseen between 0 and attempts),
  add column attempts_rejected bigint check (attempts_rejected between 0 and attempts);

alter table public.models add column continues_model_id text;

-- Rows that are there already get their model's id and no known cost until then.
alter table public.cumulative add column model_name text, add column rounds_with_cost bigint;
update public.cumulative set model_name = model_id, rounds_with_cost = 0;
set constraints all immediate;
alter table public.cumulative
  alter column model_name set not null,
  alter column rounds_with_cost set not null,
  add check (rounds_with_cost between 0 and resolved_rounds);
