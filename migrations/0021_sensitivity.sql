-- Answers of twin lanes, as visible as the decisions of their round, and what moves the models of a track.
create table if not exists public.lane_answers (
  part text not null references public.publication_parts deferrable initially deferred,
  content_sha256 text not null check (content_sha256 ~ '^[0-9a-f]{64}$'),
  round_id text not null,
  model_id text not null,
  lane text not null,
  replicate bigint not null,
  option_id text not null,
  weight_bps bigint not null,
  primary key (round_id, model_id, lane, replicate, option_id),
  foreign key (round_id) references public.rounds deferrable initially deferred,
  check (lane in ('base', 'order', 'masked', 'no_briefing', 'no_table')),
  check (replicate >= 1),
  check (weight_bps between 1 and 10000)
);

create table if not exists public.sensitivity (
  part text not null references public.publication_parts deferrable initially deferred,
  content_sha256 text not null check (content_sha256 ~ '^[0-9a-f]{64}$'),
  track text not null,
  model_id text not null,
  moved_by text not null,
  cells bigint not null,
  rounds bigint not null,
  distance_fraction double precision,
  noise_fraction double precision,
  effect_fraction double precision,
  effect_low_fraction double precision,
  effect_high_fraction double precision,
  p_value double precision,
  p_adjusted double precision,
  primary key (track, model_id, moved_by),
  foreign key (track) references public.boards deferrable initially deferred,
  check (moved_by in ('place', 'order', 'masked', 'no_briefing', 'no_table', 'mood'))
);

do $$
declare
  tab name;
begin
  foreach tab in array array['lane_answers', 'sensitivity'] loop
    execute format('alter table public.%I enable row level security', tab);
    execute format('revoke all on public.%I from public, anon, authenticated, service_role', tab);
    execute format('grant select, insert, update, delete on public.%I to service_role', tab);
    execute format('grant select on public.%I to anon, authenticated', tab);
    execute format('drop policy if exists service on public.%I', tab);
    execute format('drop policy if exists readable on public.%I', tab);
    execute format('create policy service on public.%I to service_role using (true) with check (true)', tab);
    execute format('create index if not exists %I on public.%I (part, content_sha256)', tab || '_part_content', tab);
  end loop;
end
$$;
create policy readable on public.lane_answers for select to anon, authenticated using (
  round_id in (select r.round_id from public.rounds r where r.published and r.state <> 'draft'));
-- Like the other figures of a track: readable while every round that its boards count is.
do $$
declare
  resolved constant text :=
    'select r.round_id from public.rounds r where r.published and r.state = ''resolved'' '
    'and (r.is_synthetic or r.exit_date <= (now() at time zone ''utc'')::date)';
  whole_boards constant text :=
    'select b.track from public.boards b where b.resolved_round_count = ('
    'select count(*) from public.board_rounds l where l.track = b.track and l.round_id in (%1$s)) '
    'and not exists (select from public.board_rounds l where l.track = b.track and l.round_id not in (%1$s))';
begin
  execute format(
    'create policy readable on public.sensitivity for select to anon, authenticated using (track in (%s))',
    format(whole_boards, resolved));
end
$$;

-- The server compares the rows with the digests; the form of a line is that of 0014.
do $$
declare
  tab name;
  expression text;
begin
  foreach tab in array array['lane_answers', 'sensitivity'] loop
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
      'alter table public.%I drop column if exists content_holds,
         add column content_holds boolean generated always as (
           content_sha256 = encode(sha256(decode(replace(%s, ''\'', ''\\''), ''escape'')), ''hex'')) stored',
      tab, expression);
  end loop;
end
$$;
