-- The same delta as before with the rows of all its parts by table, each naming its part: one statement
-- per table instead of one per part, and digests of the parts it touches only. What a request costs does
-- not follow what is there already, also where nobody has counted rows yet: hence indexes alone and no
-- plan of an earlier request. A delta made for another state than the one that is there is refused: it
-- would leave out what somebody else has taken away meanwhile.
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
  perform pg_advisory_xact_lock(hashtextextended('capitalbench_apply', 0));
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
    -- The digests of the parts that this delta names or touches, made from the rows that are there now.
    named := array(select distinct n.part from unnest(named || touched) n (part));
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
    -- While more is to come, the digest of everything follows from the one before and what changed.
    insert into public.publication as old (as_of, is_synthetic, parts_sha256)
      select delta ->> 'as_of', (delta ->> 'synthetic')::boolean,
        encode(sha256(convert_to(coalesce(
          string_agg(p.part || ' ' || p.rows_sha256, E'\n' order by p.part collate "C"), '')
          || case when more then coalesce(E'\n' || there, '') else '' end, 'UTF8')), 'hex')
      from public.publication_parts p
      where not more or p.part = any (named)
      on conflict (only_row) do update
        set as_of = excluded.as_of, is_synthetic = excluded.is_synthetic,
            parts_sha256 = excluded.parts_sha256, changed_at = now()
      returning old.parts_sha256 into there;
    insert into public.sync_events (as_of, counts) values (delta ->> 'as_of', counts);
  end if;
  return counts || jsonb_build_object('parts_sha256', there);
end
$$;
