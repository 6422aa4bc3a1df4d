-- The tables that a delta may fill: those whose rows belong to a part and have a digest.
create function public.capitalbench_tables() returns setof name
language sql stable security invoker set search_path = '' as $$
  select c.relname
  from pg_catalog.pg_class c
  where c.relnamespace = 'public'::pg_catalog.regnamespace and c.relkind = 'r'
    and (
      select count(*) from pg_catalog.pg_attribute a
      where a.attrelid = c.oid and not a.attisdropped and a.attname in ('part', 'content_sha256')
    ) = 2
  order by c.relname collate "C"
$$;

-- Digests of what is there. Without a scope: one digest per part, over the lines
-- "table digest" of its rows in byte order. With a part as scope: the digests of its rows by table.
-- They are taken from the rows themselves, so that a row that went missing is noticed.
create function public.capitalbench_state(scope text default null) returns jsonb
language plpgsql stable security invoker set search_path = '' as $$
declare
  every_row text;
  answer jsonb;
begin
  select string_agg(
    format('select %L::text as tab, part, content_sha256 as sha from public.%I', t, t), ' union all ')
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
    'select coalesce(jsonb_object_agg(part, sha), ''{}'') from (
       select p.part, coalesce(encode(sha256(convert_to(
         string_agg(tab || '' '' || sha, E''\n'' order by (tab || '' '' || sha) collate "C"), ''UTF8'')), ''hex''), '''') as sha
       from public.publication_parts p left join (%s) r using (part) group by p.part) s', every_row)
    into answer;
  return jsonb_build_object(
    'format', 1,
    'schema_version', (select max(version) from public.capitalbench_migrations),
    'parts', answer,
    'publication', (
      select jsonb_build_object('as_of', as_of, 'parts_sha256', parts_sha256) from public.publication),
    'objects', (
      select coalesce(jsonb_object_agg(round_id, object), '{}') from public.round_files
      where object is not null));
end
$$;

-- Brings a delta into the tables, whole or not at all; two at once wait for each other.
--
-- {"format": 1, "as_of": text, "synthetic": boolean,
--  "parts": [{"part": text, "complete": boolean, "tables": {table: [row, …]}}],
--  "removed_parts": [text]}
--
-- Rows carry their content_sha256; one that the part has already is not written. In a complete part
-- rows that the delta does not name are removed.
create function public.capitalbench_apply(delta jsonb) returns jsonb
language plpgsql security invoker set search_path = '' as $$
declare
  entry jsonb;
  this_part text;
  tab name;
  columns text;
  key_columns text;
  updates text;
  rows jsonb;
  changed bigint;
  written bigint := 0;
  removed bigint := 0;
  parts_changed bigint := 0;
  before bigint;
  tables name[];
  counts jsonb;
begin
  -- Some servers between pass a document on as the text of it.
  if jsonb_typeof(delta) = 'string' then
    delta := (delta #>> '{}')::jsonb;
  end if;
  if delta ->> 'format' is distinct from '1' or jsonb_typeof(delta -> 'parts') is distinct from 'array' then
    raise exception 'a delta of format 1 with parts is expected' using errcode = '22023';
  end if;
  perform pg_advisory_xact_lock(hashtextextended('capitalbench_apply', 0));
  tables := array(select public.capitalbench_tables());

  for this_part in select jsonb_array_elements_text(coalesce(delta -> 'removed_parts', '[]')) loop
    before := removed;
    foreach tab in array tables loop
      execute format('delete from public.%I where part = $1', tab) using this_part;
      get diagnostics changed = row_count;
      removed := removed + changed;
    end loop;
    delete from public.publication_parts where part = this_part;
    get diagnostics changed = row_count;
    parts_changed := parts_changed + changed;
  end loop;

  for entry in select value from jsonb_array_elements(delta -> 'parts') loop
    this_part := entry ->> 'part';
    before := written + removed;
    select string_agg(key, ', ') into columns
      from jsonb_object_keys(entry -> 'tables') key where key <> all (tables);
    if columns is not null then
      raise exception 'the delta fills tables that are not there: %', columns using errcode = '42P01',
        hint = 'run `capitalbench db migrate`';
    end if;
    insert into public.publication_parts (part)
      select this_part where not exists (select from public.publication_parts p where p.part = this_part);
    foreach tab in array tables loop
      rows := coalesce(entry -> 'tables' -> tab, '[]');
      if rows <> '[]' then
        select string_agg(format('%I', a.attname), ', ' order by a.attnum),
               string_agg(format('%I = excluded.%I', a.attname, a.attname), ', ')
                 filter (where a.attname <> 'published')
          into columns, updates
          from pg_catalog.pg_attribute a
          where a.attrelid = format('public.%I', tab)::pg_catalog.regclass
            and a.attnum > 0 and not a.attisdropped;
        select string_agg(format('%I', a.attname), ', ') into key_columns
          from pg_catalog.pg_index i
          join pg_catalog.pg_attribute a on a.attrelid = i.indrelid and a.attnum = any (i.indkey)
          where i.indrelid = format('public.%I', tab)::pg_catalog.regclass and i.indisprimary;
        execute format(
          'insert into public.%1$I (%2$s)
           select %2$s from jsonb_populate_recordset(null::public.%1$I, (
             select jsonb_agg(r.value || jsonb_build_object(''part'', $2))
             from jsonb_array_elements($1) r
             where not exists (
               select from public.%1$I old
               where old.part = $2 and old.content_sha256 = r.value ->> ''content_sha256'')))
           on conflict (%3$s) do update set %4$s', tab, columns, key_columns, updates)
          using rows, this_part;
        get diagnostics changed = row_count;
        written := written + changed;
      end if;
      if coalesce((entry ->> 'complete')::boolean, false) then
        execute format(
          'delete from public.%I where part = $1 and not content_sha256 = any ($2)', tab)
          using this_part, array(select r.value ->> 'content_sha256' from jsonb_array_elements(rows) r);
        get diagnostics changed = row_count;
        removed := removed + changed;
      end if;
    end loop;
    if written + removed > before then
      parts_changed := parts_changed + 1;
    end if;
  end loop;

  counts := jsonb_build_object('written', written, 'removed', removed, 'parts_changed', parts_changed);
  if written + removed + parts_changed > 0 then
    -- One digest over all parts, made from the rows that are there now.
    with now_there as (
      select key as part, value as sha from jsonb_each_text(public.capitalbench_state() -> 'parts')
    )
    update public.publication_parts p set rows_sha256 = n.sha, changed_at = now()
      from now_there n where n.part = p.part and n.sha <> p.rows_sha256;
    insert into public.publication as old (as_of, is_synthetic, parts_sha256)
      select delta ->> 'as_of', (delta ->> 'synthetic')::boolean,
        encode(sha256(convert_to(coalesce(
          string_agg(part || ' ' || rows_sha256, E'\n' order by part collate "C"), ''), 'UTF8')), 'hex')
      from public.publication_parts
      on conflict (only_row) do update
        set as_of = excluded.as_of, is_synthetic = excluded.is_synthetic,
            parts_sha256 = excluded.parts_sha256, changed_at = now();
    insert into public.sync_events (as_of, counts) values (delta ->> 'as_of', counts);
  end if;
  return counts;
end
$$;
