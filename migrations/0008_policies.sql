-- Who may see what. Nothing is granted by default; the public reads named tables, and what belongs
-- to the result of a round only while that round is published and resolved and its last day has come
-- by the clock of this server, whatever was written.
do $$
declare
  tab text;
  rows_of_round constant text := 'round_id in (select r.round_id from public.rounds r where r.published)';
  rows_of_record constant text :=
    'round_id in (select r.round_id from public.rounds r where r.published and r.state <> ''draft'')';
  resolved constant text :=
    'select r.round_id from public.rounds r where r.published and r.state = ''resolved'' '
    'and (r.is_synthetic or r.exit_date <= (now() at time zone ''utc'')::date)';
  whole_boards constant text :=
    'select b.track from public.boards b where b.resolved_round_count = ('
    'select count(*) from public.board_rounds l where l.track = b.track and l.round_id in (%1$s)) '
    'and not exists (select from public.board_rounds l where l.track = b.track and l.round_id not in (%1$s))';
  whole_sets constant text :=
    'select s.set_id from public.comparison_sets s where s.included_round_count = ('
    'select count(*) from public.set_rounds l where l.set_id = s.set_id and l.role = ''included'' '
    'and l.round_id in (%1$s))';
begin
  for tab in
    select c.relname from pg_catalog.pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and (
      c.relname in (select public.capitalbench_tables()) or c.relname in (
        'capitalbench_migrations', 'publication', 'publication_parts', 'resolution_jobs', 'sync_events'))
  loop
    execute format('alter table public.%I enable row level security', tab);
    execute format('revoke all on public.%I from public, anon, authenticated, service_role', tab);
    execute format('create policy service on public.%I to service_role using (true) with check (true)', tab);
    if tab = 'capitalbench_migrations' then
      grant select on public.capitalbench_migrations to service_role;
    else
      execute format('grant select, insert, update, delete on public.%I to service_role', tab);
    end if;
    if tab not in ('capitalbench_migrations', 'resolution_jobs', 'sync_events') then
      execute format('grant select on public.%I to anon, authenticated', tab);
    end if;
  end loop;

  revoke all on sequence public.sync_events_id_seq from public, anon, authenticated;

  foreach tab in array array[
    'publication', 'providers', 'models', 'universes', 'options'
  ] loop
    execute format('create policy readable on public.%I for select to anon, authenticated using (true)', tab);
  end loop;

  create policy readable on public.rounds for select to anon, authenticated using (published);
  execute 'create policy readable on public.publication_parts for select to anon, authenticated using ('
    'part not like ''round/%'' or part in (select r.part from public.rounds r where r.published))';

  foreach tab in array array['artifact_hashes', 'board_rounds', 'set_rounds'] loop
    execute format(
      'create policy readable on public.%I for select to anon, authenticated using (%s)', tab, rows_of_round);
  end loop;

  foreach tab in array array[
    'runs', 'submissions', 'holdings', 'controls', 'control_holdings'
  ] loop
    execute format(
      'create policy readable on public.%I for select to anon, authenticated using (%s)', tab, rows_of_record);
  end loop;

  foreach tab in array array[
    'round_results', 'option_returns', 'outcomes', 'control_outcomes', 'repeated_calls'
  ] loop
    execute format(
      'create policy readable on public.%I for select to anon, authenticated using (round_id in (%s))',
      tab, resolved);
  end loop;

  execute format(
    'create policy readable on public.prices for select to anon, authenticated using ('
    '(side = ''entry'' and %s) or round_id in (%s))', rows_of_record, resolved);

  execute format(
    'create policy readable on public.round_files for select to anon, authenticated using ('
    'case when holds_results then round_id in (%s) else %s end)', resolved, rows_of_round);

  -- A snapshot of the last day would be the result before the result.
  execute format(
    'create policy readable on public.interim_points for select to anon, authenticated using ('
    'exists (select from public.rounds r where r.round_id = interim_points.round_id and r.published '
    'and r.state <> ''draft'' and interim_points.snapshot_date < r.exit_date) or round_id in (%s))', resolved);

  -- Board and set headers are readable by rows that are; the rest asks whether every round is resolved.
  create policy readable on public.boards for select to anon, authenticated using (true);
  create policy readable on public.set_models for select to anon, authenticated using (true);
  execute format(
    'create policy readable on public.comparison_sets for select to anon, authenticated using ('
    'included_round_count = (select count(*) from public.set_rounds l where l.set_id = comparison_sets.set_id '
    'and l.role = ''included'' and l.round_id in (%s)))', resolved);

  foreach tab in array array[
    'cumulative', 'consistency', 'behaviour', 'habits', 'exposures', 'statistics', 'reliability'
  ] loop
    execute format(
      'create policy readable on public.%I for select to anon, authenticated using (track in (%s))',
      tab, format(whole_boards, resolved));
  end loop;

  foreach tab in array array['set_rows', 'pairs'] loop
    execute format(
      'create policy readable on public.%I for select to anon, authenticated using (set_id in (%s))',
      tab, format(whole_sets, resolved));
  end loop;

  execute format(
    'create policy readable on public.publication_documents for select to anon, authenticated using (case kind '
    'when ''names'' then true when ''universe'' then true '
    'when ''round'' then %1$s '
    'when ''decisions'' then %2$s '
    'when ''interim'' then exists (select from public.rounds r where r.round_id = publication_documents.round_id '
    '  and r.published and r.state <> ''draft'' and publication_documents.day < r.exit_date) '
    'when ''result'' then round_id in (%3$s) '
    'when ''board'' then track in (%4$s) '
    'when ''set'' then set_id in (%5$s) '
    'else false end)',
    rows_of_round, rows_of_record, resolved, format(whole_boards, resolved), format(whole_sets, resolved));
end
$$;

-- Functions are for the service alone.
do $$
declare
  fn regprocedure;
begin
  for fn in
    select p.oid::regprocedure from pg_catalog.pg_proc p
    where p.pronamespace = 'public'::regnamespace and p.proname like 'capitalbench\_%'
  loop
    execute format('revoke all on function %s from public, anon, authenticated', fn);
    execute format('grant execute on function %s to service_role', fn);
  end loop;
end
$$;
