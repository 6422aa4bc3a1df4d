-- The figures of inference-v2 and null-v2: the test of luck, planning by yearly gaps, the synthetic portfolio,
-- shrinkage and the smallest difference of a pair. years_to_know stays for rows of inference-v1.
-- The next sync writes the rows of boards again, with the digest of what they say now.
alter table public.statistics
  add column if not exists random_spread_fraction double precision,
  add column if not exists luck_rounds bigint,
  add column if not exists luck_z double precision,
  add column if not exists luck_p_value double precision,
  add column if not exists years_to_detect_2_percent double precision,
  add column if not exists years_to_detect_5_percent double precision,
  add column if not exists years_to_detect_10_percent double precision,
  add column if not exists synthetic_days bigint,
  add column if not exists synthetic_beta double precision,
  add column if not exists synthetic_beta_low double precision,
  add column if not exists synthetic_beta_high double precision,
  add column if not exists synthetic_capm_alpha_fraction double precision,
  add column if not exists synthetic_capm_alpha_low_fraction double precision,
  add column if not exists synthetic_capm_alpha_high_fraction double precision,
  add column if not exists synthetic_tracking_error_fraction double precision,
  add column if not exists synthetic_information_ratio double precision,
  add column if not exists synthetic_information_ratio_low double precision,
  add column if not exists synthetic_information_ratio_high double precision,
  add column if not exists synthetic_drawdown_fraction double precision,
  add column if not exists synthetic_reference_drawdown_fraction double precision,
  add column if not exists confidence_other_question bigint,
  add column if not exists confidence_level bigint;
alter table public.comparison_sets
  add column if not exists tau_squared double precision,
  add column if not exists kept_share_fraction double precision,
  add column if not exists retired_model_ids text;
alter table public.set_rows
  add column if not exists luck_p_value double precision,
  add column if not exists shrunken_alpha_fraction double precision;
alter table public.pairs
  add column if not exists detectable_fraction double precision;

-- The server compares the new columns with the digests too; the form of a line is that of 0014.
do $$
declare
  tab name;
  expression text;
begin
  foreach tab in array array['statistics', 'comparison_sets', 'set_rows', 'pairs'] loop
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
