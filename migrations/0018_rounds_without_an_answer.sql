-- Models of a record without a valid answer, explanations of the operator, and rounds that ended without a
-- record. The next sync writes the rows of rounds again, with the digest of what they say now.
do $$
declare
  own record;
begin
  for own in
    select c.conname from pg_catalog.pg_constraint c
    where c.conrelid = 'public.rounds'::regclass and c.contype = 'c'
      and pg_get_constraintdef(c.oid) like '%draft%'
  loop
    execute format('alter table public.rounds drop constraint %I', own.conname);
  end loop;
end
$$;
alter table public.rounds
  add column if not exists missing_count bigint,
  add column if not exists ended_at_utc timestamptz,
  add column if not exists end_reason text;
update public.rounds set missing_count = 0 where missing_count is null;
-- A table with keys to look at later cannot be altered.
set constraints all immediate;
alter table public.rounds
  alter column missing_count set not null,
  drop constraint if exists rounds_states,
  add constraint rounds_states check (
    state in ('draft', 'pending', 'overdue', 'resolved', 'voided', 'abandoned')),
  drop constraint if exists rounds_records,
  add constraint rounds_records check (
    state in ('draft', 'voided', 'abandoned') or official_run_id is not null),
  drop constraint if exists rounds_ends,
  add constraint rounds_ends check (
    (state in ('voided', 'abandoned')) = (ended_at_utc is not null)
    and (ended_at_utc is null) = (end_reason is null)),
  drop constraint if exists rounds_missing,
  add constraint rounds_missing check (missing_count >= 0);

create table if not exists public.missing_answers (
  part text not null references public.publication_parts deferrable initially deferred,
  content_sha256 text not null check (content_sha256 ~ '^[0-9a-f]{64}$'),
  round_id text not null,
  model_id text not null,
  reason text not null,
  meaning text not null,
  attempts bigint,
  attempts_unseen bigint,
  primary key (round_id, model_id),
  foreign key (round_id) references public.rounds deferrable initially deferred,
  check (attempts >= 0 and attempts_unseen between 0 and attempts)
);

create table if not exists public.explanations (
  part text not null references public.publication_parts deferrable initially deferred,
  content_sha256 text not null check (content_sha256 ~ '^[0-9a-f]{64}$'),
  round_id text not null,
  number bigint not null,
  noted_at_utc timestamptz not null,
  reason text not null,
  primary key (round_id, number),
  foreign key (round_id) references public.rounds deferrable initially deferred,
  check (number >= 1)
);

do $$
declare
  tab name;
begin
  foreach tab in array array['missing_answers', 'explanations'] loop
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
create policy readable on public.missing_answers for select to anon, authenticated using (
  round_id in (select r.round_id from public.rounds r where r.published and r.state <> 'draft'));
create policy readable on public.explanations for select to anon, authenticated using (
  round_id in (select r.round_id from public.rounds r where r.published));

-- The server compares the new columns and tables with the digests too; the form of a line is that of 0014.
do $$
declare
  tab name;
  expression text;
begin
  foreach tab in array array['rounds', 'missing_answers', 'explanations'] loop
    select string_agg(
      format('coalesce(%L || %s || E''\n'', '''')', a.attname || '=', case
        when a.atttypid = 'text'::regtype then format('octet_length(%1$I)::text || '':'' || %1$I', a.attname)
        when a.atttypid = 'date'::regtype then format(
          '''10:'' || lpad(extract(year from %1$I)::text, 4, ''0'') || ''-'' || lpad(extract(month from %1$I)::text, 2, ''0'')
             || ''-'' || lpad(extract(day from %1$I)::text, 2, ''0'')', a.attname)
        when a.atttypid = 'timestamptz'::regtype then format(
          '(extract(epoch from %I at time zone ''UTC'') * 1000000)::bigint::text', a.attname)
        when a.atttypid in ('bigint'::regtype, 'boolean'::regtype) then format('%I::text', a.attname)
      end), ' || ' order by a.attname collate "C") into expression
    from pg_catalog.pg_attribute a
    where a.attrelid = format('public.%I', tab)::regclass and a.attnum > 0 and not a.attisdropped
      and a.attname not in ('part', 'content_sha256', 'content_holds', 'published');
    execute format(
      'alter table public.%I drop column if exists content_holds,
         add column content_holds boolean generated always as (
           content_sha256 = encode(sha256(decode(replace(%s, ''\'', ''\\''), ''escape'')), ''hex'')) stored',
      tab, expression);
  end loop;
end
$$;
