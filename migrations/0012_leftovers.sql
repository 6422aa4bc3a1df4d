-- The state tells of objects in the storage that no row names and that are older than a day: what an
-- upload left behind whose row never came. A younger one may be of a sync that is under way.
create or replace function public.capitalbench_state(scope text default null) returns jsonb
language plpgsql stable security invoker set search_path = '' as $$
declare
  every_row text;
  answer jsonb;
  leftovers jsonb := '[]';
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
      select jsonb_build_object('as_of', as_of, 'parts_sha256', parts_sha256) from public.publication),
    'objects', (
      select coalesce(jsonb_object_agg(round_id, object), '{}') from public.round_files
      where object is not null),
    'leftovers', leftovers);
end
$$;
