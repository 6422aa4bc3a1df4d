-- The same delta as before, one statement per table for all its parts instead of one per part, and
-- digests of the parts it touches only: what a request costs no longer follows what is there already.
create or replace function public.capitalbench_apply(delta jsonb) returns jsonb
language plpgsql security invoker set search_path = '' as $$
declare
  named text[];
  complete text[];
  touched text[] := '{}';
  gone text[];
  tab name;
  columns text;
  key_columns text;
  updates text;
  rows jsonb;
  by_table jsonb;
  every_row text;
  changed bigint;
  changed_parts text[];
  written bigint := 0;
  removed bigint := 0;
  parts_changed bigint := 0;
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
  gone := array(select jsonb_array_elements_text(coalesce(delta -> 'removed_parts', '[]')));
  named := array(select distinct e.value ->> 'part' from jsonb_array_elements(delta -> 'parts') e);
  complete := array(
    select distinct e.value ->> 'part' from jsonb_array_elements(delta -> 'parts') e
    where coalesce((e.value ->> 'complete')::boolean, false));

  -- The rows of all parts by table; each says which part it belongs to. The name is taken out first: asked
  -- for with every row, the whole part would be copied each time.
  select coalesce(jsonb_object_agg(found.tab, found.rows), '{}') into by_table from (
    select t.key as tab, jsonb_agg(r.value || p.name) as rows
    from (
        select jsonb_build_object('part', e.value ->> 'part') as name,
          case jsonb_typeof(e.value -> 'tables') when 'object' then e.value -> 'tables' else '{}' end as filled
        from jsonb_array_elements(delta -> 'parts') e offset 0) p,
      jsonb_each(p.filled) t,
      jsonb_array_elements(t.value) r
    group by t.key) found;
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
        'with done as (
           insert into public.%1$I (%2$s)
           select distinct on (part, content_sha256) %2$s
           from jsonb_populate_recordset(null::public.%1$I, $1) new
           where not exists (
             select from public.%1$I old
             where old.part = new.part and old.content_sha256 = new.content_sha256)
           on conflict (%3$s) do update set %4$s
           returning part)
         select count(*), coalesce(array_agg(distinct part), ''{}'') from done',
        tab, columns, key_columns, updates)
        into changed, changed_parts using rows;
      written := written + changed;
      touched := touched || changed_parts;
    end if;
    if complete <> '{}' then
      execute format(
        'with done as (
           delete from public.%I
           where part = any ($1) and (part, content_sha256) not in (
             select r.value ->> ''part'', r.value ->> ''content_sha256'' from jsonb_array_elements($2) r)
           returning part)
         select count(*), coalesce(array_agg(distinct part), ''{}'') from done', tab)
        into changed, changed_parts using complete, rows;
      removed := removed + changed;
      touched := touched || changed_parts;
    end if;
  end loop;
  parts_changed := parts_changed + (select count(distinct part) from unnest(touched) part);

  counts := jsonb_build_object('written', written, 'removed', removed, 'parts_changed', parts_changed);
  if written + removed + parts_changed > 0 then
    -- The digests of the parts that this delta names, made from the rows that are there now.
    select string_agg(
      format('select %L::text as tab, part, content_sha256 as sha from public.%I where part = any ($1)', t, t),
      ' union all ') into every_row from unnest(tables) t;
    execute format(
      'update public.publication_parts p set rows_sha256 = n.sha, changed_at = now()
       from (
         select q.part, coalesce(encode(sha256(convert_to(
           string_agg(tab || '' '' || sha, E''\n'' order by (tab || '' '' || sha) collate "C"), ''UTF8'')), ''hex''), '''') as sha
         from unnest($1) q (part) left join (%s) r using (part) group by q.part) n
       where n.part = p.part and n.sha <> p.rows_sha256', every_row)
      using named;
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
