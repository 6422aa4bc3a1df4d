-- How models were asked, what servers said about the calls, and how many calls an answer took; none of it for
-- rounds whose ledger does not tell. Boards carry names for people, and say for how many rounds the cost is known.
-- The next sync writes the rows of boards again, with the digest of what they say now.
alter table public.submissions
  add column if not exists reasoning_tokens bigint,
  add column if not exists display_name text,
  add column if not exists api_model_name text,
  add column if not exists schema_mode text,
  add column if not exists reasoning text,
  add column if not exists temperature double precision,
  add column if not exists temperature_reason text,
  add column if not exists max_output_tokens bigint,
  add column if not exists time_limit_seconds double precision,
  add column if not exists service_tier_asked text,
  add column if not exists routing text,
  add column if not exists extra_fields text,
  add column if not exists request_sha256 text,
  add column if not exists served_model text,
  add column if not exists service_tier_served text,
  add column if not exists answered_by text,
  add column if not exists billed_usd double precision,
  add column if not exists card_usd double precision,
  add column if not exists attempts bigint,
  add column if not exists attempts_unseen bigint,
  add column if not exists attempts_rejected bigint,
  drop constraint if exists submissions_asked,
  add constraint submissions_asked check (schema_mode in ('full', 'json', 'none')),
  drop constraint if exists submissions_costs,
  add constraint submissions_costs check (billed_usd >= 0 and card_usd >= 0),
  drop constraint if exists submissions_attempts,
  add constraint submissions_attempts check (
    attempts >= 1 and attempts_unseen between 0 and attempts and attempts_rejected between 0 and attempts);

alter table public.models add column if not exists continues_model_id text;
alter table public.set_rows add column if not exists model_name text;
alter table public.cumulative
  add column if not exists model_name text,
  add column if not exists rounds_with_cost bigint;
update public.cumulative set model_name = coalesce(model_name, model_id), rounds_with_cost = coalesce(rounds_with_cost, 0)
  where model_name is null or rounds_with_cost is null;
-- A table with keys to look at later cannot be altered.
set constraints all immediate;
alter table public.cumulative
  alter column model_name set not null,
  alter column rounds_with_cost set not null,
  drop constraint if exists cumulative_costs,
  add constraint cumulative_costs check (rounds_with_cost between 0 and resolved_rounds);

-- The server compares the new columns with the digests too; the form of a line is that of 0014.
do $$
declare
  tab name;
  expression text;
begin
  foreach tab in array array['submissions', 'models', 'set_rows', 'cumulative'] loop
    select string_agg(
      format('coalesce(%L || %s || E''\n'', '''')', a.attname || '=', case
        when a.atttypid = 'text'::regtype then format('octet_length(%1$I)::text || '':'' || %1$I', a.attname)
        when a.atttypid = 'double precision'::regtype then format(
          'encode(float8send(%I + ''0''::double precision), ''hex'')', a.attname)
        when a.atttypid in ('bigint'::regtype, 'boolean'::regtype) then format('%I::text', a.attname)
      end), ' || ' order by a.attname collate "C") into expression
    from pg_catalog.pg_attribute a
    where a.attrelid = format('public.%I', tab)::regclass and a.attnum > 0 and not a.attisdropped
      and a.attname not in ('part', 'content_sha256', 'content_holds');
    execute format(
      'alter table public.%I drop column content_holds,
         add column content_holds boolean generated always as (
           content_sha256 = encode(sha256(decode(replace(%s, ''\'', ''\\''), ''escape'')), ''hex'')) stored',
      tab, expression);
  end loop;
end
$$;
