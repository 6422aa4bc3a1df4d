-- A digest is worth what it is compared with. Until here only digests that clients had sent were compared
-- with each other, so a row that somebody edited looked as if it were up to date. Now the server looks at
-- the content of every row when it is written, by whomever, and keeps whether the row is what its digest
-- says; a state costs no more than before, because nothing is computed when it is asked for.
-- What the digest is taken of, and why it is done like this: docs/design/database.md.
do $$
begin
  if current_setting('server_encoding') <> 'UTF8' then
    raise exception 'the database must be encoded in UTF8, because digests are taken of UTF-8'
      using hint = 'create it with: create database NAME encoding ''UTF8'' template template0';
  end if;
end
$$;

-- Content that is too large for a digest at every sync: that of the packed text, made when it is packed.
do $$
declare
  tab text;
begin
  foreach tab in array array['round_files', 'log_files'] loop
    execute format('alter table public.%I drop column if exists content_holds, add column if not exists packed_sha256 text', tab);
    execute format(
      'update public.%I set packed_sha256 = encode(sha256(convert_to(content, ''UTF8'')), ''hex'') where content is not null', tab);
  end loop;
  set constraints all immediate;
  foreach tab in array array['round_files', 'log_files'] loop
    execute format(
      'alter table public.%I drop constraint if exists %2$I, add constraint %2$I check (
         (content is null) = (packed_sha256 is null) and packed_sha256 ~ ''^[0-9a-f]{64}$'')',
      tab, tab || '_packed');
  end loop;
end
$$;

-- One line per column that has a value, in byte order of their names: text with its length, numbers with
-- all their bits. Only immutable functions may be in it, hence no convert_to and no to_char.
do $$
declare
  tab name;
  expression text;
begin
  for tab in select public.capitalbench_tables() loop
    select string_agg(
      format('coalesce(%L || %s || E''\n'', '''')', a.attname || '=', case
        when a.attname = 'content' then format(
          '(%1$I is null or coalesce(packed_sha256 = encode(sha256(decode(replace(%1$I, ''\'', ''\\''), ''escape'')), ''hex''), false))::text',
          a.attname)
        when a.atttypid = 'text'::regtype then format('octet_length(%1$I)::text || '':'' || %1$I', a.attname)
        when a.atttypid = 'double precision'::regtype then format(
          'encode(float8send(%I + ''0''::double precision), ''hex'')', a.attname)
        when a.atttypid = 'date'::regtype then format(
          '''10:'' || lpad(extract(year from %1$I)::text, 4, ''0'') || ''-'' || lpad(extract(month from %1$I)::text, 2, ''0'')
             || ''-'' || lpad(extract(day from %1$I)::text, 2, ''0'')', a.attname)
        when a.atttypid = 'timestamptz'::regtype then format(
          '(extract(epoch from %I at time zone ''UTC'') * 1000000)::bigint::text', a.attname)
        when a.atttypid in ('bigint'::regtype, 'boolean'::regtype) then format('%I::text', a.attname)
      end), ' || ' order by a.attname collate "C") into expression
    from pg_catalog.pg_attribute a
    where a.attrelid = format('public.%I', tab)::regclass and a.attnum > 0 and not a.attisdropped
      and a.attname not in ('part', 'content_sha256', 'content_holds', 'published', 'object')
      and (tab, a.attname) <> ('round_files', 'packed_sha256');
    execute format(
      'alter table public.%I drop column if exists content_holds,
         drop constraint if exists %I,
         add column content_holds boolean generated always as (
           content_sha256 = encode(sha256(decode(replace(%s, ''\'', ''\\''), ''escape'')), ''hex'')) stored',
      tab, tab || '_part_content_sha256_key', expression);
    -- Two rows may claim the same digest, where somebody changed one of them.
    execute format('create index if not exists %I on public.%I (part, content_sha256)', tab || '_part_content', tab);
  end loop;
end
$$;

-- What is said of the whole has a digest as well.
alter table public.publication add column if not exists header_sha256 text not null default ''
  check (header_sha256 ~ '^([0-9a-f]{64})?$');

create or replace function public.capitalbench_header_digest(as_of text, is_synthetic boolean, parts_sha256 text) returns text
language sql stable security invoker set search_path = '' as $$
  select encode(sha256(convert_to(
    'as_of=' || octet_length(as_of) || ':' || as_of || E'\nis_synthetic=' || is_synthetic
    || E'\nparts_sha256=' || octet_length(parts_sha256) || ':' || parts_sha256 || E'\n', 'UTF8')), 'hex')
$$;
revoke all on function public.capitalbench_header_digest(text, boolean, text) from public, anon, authenticated;
grant execute on function public.capitalbench_header_digest(text, boolean, text) to service_role;
revoke all on sequence public.sync_events_id_seq from service_role;

-- A row that is not what its digest says counts as changed, and so does a part whose own digest is not
-- that of its rows. Where nobody looks at the content any more, there is no state to compare with.
create or replace function public.capitalbench_state(scope text default null) returns jsonb
language plpgsql stable security invoker set search_path = '' as $$
declare
  every_row text;
  unguarded text;
  answer jsonb;
  leftovers jsonb := '[]';
begin
  select string_agg(t, ', ') into unguarded from public.capitalbench_tables() t
    where not exists (
      select from pg_catalog.pg_attribute a
      where a.attrelid = format('public.%I', t)::pg_catalog.regclass and a.attname = 'content_holds'
        and a.attgenerated = 's' and not a.attisdropped);
  if unguarded is not null then
    raise exception 'rows are no longer compared with their digests in: %', unguarded using errcode = '55000',
      hint = 'somebody altered these tables: make the database again with `capitalbench db migrate` and `sync-web`';
  end if;
  select string_agg(
    format('select %L::text as tab, part, case when content_holds then content_sha256 else ''changed'' end as sha from public.%I', t, t),
    ' union all ')
    into every_row from public.capitalbench_tables() t;
  if scope is not null then
    execute format(
      'select coalesce(jsonb_object_agg(tab, shas), ''{}'') from (
         select tab, jsonb_agg(sha order by sha collate "C") as shas
         from (%s) r where part = $1 group by tab) s', every_row)
      into answer using scope;
    return jsonb_build_object('format', 1, 'part', scope, 'tables', answer);
  end if;
  execute format(
    'select coalesce(jsonb_object_agg(part, case when sha = rows_sha256 then sha else '''' end), ''{}'') from (
       select p.part, p.rows_sha256, coalesce(encode(sha256(convert_to(
         string_agg(tab || '' '' || sha, E''\n'' order by (tab || '' '' || sha) collate "C"), ''UTF8'')), ''hex''), '''') as sha
       from public.publication_parts p left join (%s) r using (part) group by p.part) s', every_row)
    into answer;
  if to_regclass('storage.objects') is not null and has_schema_privilege('storage', 'usage')
    and has_table_privilege('storage.objects', 'select') then
    execute $q$
      select coalesce(jsonb_agg(o.name order by o.name), '[]') from (
        select name from storage.objects
        where bucket_id = 'capitalbench-public-artifacts' and greatest(created_at, updated_at) < now() - interval '1 day'
          and not exists (select from public.round_files f where f.object = objects.name)
        order by name limit 1000) o
    $q$ into leftovers;
  end if;
  return jsonb_build_object(
    'format', 1,
    'schema_version', (select max(version) from public.capitalbench_migrations),
    'parts', answer,
    'publication', (
      select jsonb_build_object('as_of', h.as_of, 'is_synthetic', h.is_synthetic, 'parts_sha256', h.parts_sha256,
        'holds', h.header_sha256 = public.capitalbench_header_digest(h.as_of, h.is_synthetic, h.parts_sha256)
          and h.parts_sha256 = (
            select encode(sha256(convert_to(coalesce(
              string_agg(p.part || ' ' || p.rows_sha256, E'\n' order by p.part collate "C"), ''), 'UTF8')), 'hex')
            from public.publication_parts p))
      from public.publication h),
    'objects', (
      select coalesce(jsonb_object_agg(round_id, object), '{}') from public.round_files
      where object is not null),
    'leftovers', leftovers);
end
$$;

-- As before, but for three things. Syncs wait for each other at a table that readers have no right for at
-- all: an advisory lock anybody may take, and hold. A row is there already only when its content is what
-- its digest says, also that of packed files; one that arrives otherwise is refused. And what is said of
-- parts and the whole is made right even where no row changes.
create or replace function public.capitalbench_apply(delta jsonb) returns jsonb
language plpgsql security invoker set search_path = '' set enable_seqscan = off as $$
declare
  named text[];
  complete text[];
  touched text[] := '{}';
  gone text[];
  tab name;
  columns text;
  key_columns text;
  updates text;
  packed text;
  rows jsonb;
  by_table jsonb;
  every_row text;
  changed bigint;
  unlike bigint;
  changed_parts text[];
  written bigint := 0;
  removed bigint := 0;
  parts_changed bigint := 0;
  stale bigint := 0;
  tables name[];
  counts jsonb;
  more boolean;
  there text;
begin
  -- Some servers between pass a document on as the text of it.
  if jsonb_typeof(delta) = 'string' then
    delta := (delta #>> '{}')::jsonb;
  end if;
  if delta ->> 'format' is distinct from '1' or jsonb_typeof(delta -> 'parts') is distinct from 'array' then
    raise exception 'a delta of format 1 with parts is expected' using errcode = '22023';
  end if;
  lock table public.sync_events in share row exclusive mode;
  -- Checks of references keep the plans of the first request, made when tables were empty.
  discard plans;
  select h.parts_sha256 into there from public.publication h;
  if delta ? 'expected' and delta ->> 'expected' is distinct from there then
    raise exception 'another sync has changed the database meanwhile' using errcode = 'PT409', hint = 'sync again';
  end if;
  more := coalesce((delta ->> 'more')::boolean, false);
  tables := array(select public.capitalbench_tables());
  gone := array(select jsonb_array_elements_text(coalesce(delta -> 'removed_parts', '[]')));
  named := array(select distinct e.value ->> 'part' from jsonb_array_elements(delta -> 'parts') e);
  complete := array(
    select distinct e.value ->> 'part' from jsonb_array_elements(delta -> 'parts') e
    where coalesce((e.value ->> 'complete')::boolean, false));

  by_table := coalesce(delta -> 'tables', '{}');
  select string_agg(key, ', ') into columns
    from jsonb_object_keys(by_table) key where key <> all (tables);
  if columns is not null then
    raise exception 'the delta fills tables that are not there: %', columns using errcode = '42P01',
      hint = 'run `capitalbench db migrate`';
  end if;

  if gone <> '{}' then
    foreach tab in array tables loop
      execute format('delete from public.%I where part = any ($1)', tab) using gone;
      get diagnostics changed = row_count;
      removed := removed + changed;
    end loop;
    delete from public.publication_parts where part = any (gone);
    get diagnostics parts_changed = row_count;
  end if;

  insert into public.publication_parts (part)
    select n.part from unnest(named) n (part)
    where not exists (select from public.publication_parts p where p.part = n.part);
  foreach tab in array tables loop
    rows := coalesce(by_table -> tab, '[]');
    if rows <> '[]' then
      select string_agg(format('%I', a.attname), ', ' order by a.attnum) filter (where a.attgenerated = ''),
             string_agg(format('%I = excluded.%I', a.attname, a.attname), ', ')
               filter (where a.attname <> 'published' and a.attgenerated = ''),
             coalesce(string_agg(format('and old.%1$I is not distinct from new.%1$I', a.attname), ' ')
               filter (where a.attname in ('packed_sha256', 'object')), '')
        into columns, updates, packed
        from pg_catalog.pg_attribute a
        where a.attrelid = format('public.%I', tab)::pg_catalog.regclass
          and a.attnum > 0 and not a.attisdropped;
      select string_agg(format('%I', a.attname), ', ') into key_columns
        from pg_catalog.pg_index i
        join pg_catalog.pg_attribute a on a.attrelid = i.indrelid and a.attnum = any (i.indkey)
        where i.indrelid = format('public.%I', tab)::pg_catalog.regclass and i.indisprimary;
      execute format(
        'with done as (
           insert into public.%1$I (%2$s)
           select distinct on (part, content_sha256) %2$s
           from jsonb_populate_recordset(null::public.%1$I, $1) new
           where not exists (
             select from public.%1$I old
             where old.part = new.part and old.content_sha256 = new.content_sha256 and old.content_holds %5$s)
           on conflict (%3$s) do update set %4$s
           returning part, content_holds)
         select count(*), count(*) filter (where content_holds is not true), coalesce(array_agg(distinct part), ''{}'')
         from done',
        tab, columns, key_columns, updates, packed)
        into changed, unlike, changed_parts using rows;
      if unlike > 0 then
        raise exception '% of % rows for % are not what their digests say', unlike, changed, tab using errcode = '22023',
          hint = 'sync with the program that made this schema';
      end if;
      written := written + changed;
      touched := touched || changed_parts;
    end if;
    if complete <> '{}' then
      execute format(
        'with done as (
           delete from public.%I
           where part = any ($1) and (content_holds is not true or (part, content_sha256) not in (
             select r.value ->> ''part'', r.value ->> ''content_sha256'' from jsonb_array_elements($2) r))
           returning part)
         select count(*), coalesce(array_agg(distinct part), ''{}'') from done', tab)
        into changed, changed_parts using complete, rows;
      removed := removed + changed;
      touched := touched || changed_parts;
    end if;
  end loop;
  parts_changed := parts_changed + (select count(distinct part) from unnest(touched) part);

  -- The digests of the parts that this delta names or touches, made from the rows that are there now.
  named := array(select distinct n.part from unnest(named || touched) n (part));
  select string_agg(
    format('select %L::text as tab, part, case when content_holds then content_sha256 else ''changed'' end as sha
            from public.%I where part = any ($1)', t, t),
    ' union all ') into every_row from unnest(tables) t;
  execute format(
    'update public.publication_parts p set rows_sha256 = n.sha, changed_at = now()
     from (
       select q.part, coalesce(encode(sha256(convert_to(
         string_agg(tab || '' '' || sha, E''\n'' order by (tab || '' '' || sha) collate "C"), ''UTF8'')), ''hex''), '''') as sha
       from unnest($1) q (part) left join (%s) r using (part) group by q.part) n
     where n.part = p.part and n.sha <> p.rows_sha256', every_row)
    using named;
  get diagnostics stale = row_count;

  counts := jsonb_build_object('written', written, 'removed', removed, 'parts_changed', parts_changed);
  if written + removed + parts_changed + stale > 0 or coalesce((delta ->> 'settle')::boolean, false) then
    -- While more is to come, the digest of everything follows from the one before and what changed.
    insert into public.publication as old (as_of, is_synthetic, parts_sha256, header_sha256)
      select h.as_of, h.synthetic, h.sha, public.capitalbench_header_digest(h.as_of, h.synthetic, h.sha) from (
        select delta ->> 'as_of' as as_of, (delta ->> 'synthetic')::boolean as synthetic,
          encode(sha256(convert_to(coalesce(
            string_agg(p.part || ' ' || p.rows_sha256, E'\n' order by p.part collate "C"), '')
            || case when more then coalesce(E'\n' || there, '') else '' end, 'UTF8')), 'hex') as sha
        from public.publication_parts p
        where not more or p.part = any (named)) h
      on conflict (only_row) do update
        set as_of = excluded.as_of, is_synthetic = excluded.is_synthetic, parts_sha256 = excluded.parts_sha256,
            header_sha256 = excluded.header_sha256, changed_at = now()
      returning old.parts_sha256 into there;
    insert into public.sync_events (as_of, counts) values (delta ->> 'as_of', counts);
  end if;
  return counts || jsonb_build_object('parts_sha256', there);
end
$$;
