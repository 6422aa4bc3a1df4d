-- The bucket of public artifacts, where this is Supabase: everybody reads, the service writes.
do $$
begin
  if to_regclass('storage.buckets') is null or to_regclass('storage.objects') is null then
    return;
  end if;
  execute $q$
    insert into storage.buckets (id, name, public)
    values ('capitalbench-public-artifacts', 'capitalbench-public-artifacts', true)
    on conflict (id) do nothing
  $q$;
  execute $q$
    create policy capitalbench_public_artifacts_read on storage.objects
    for select to anon, authenticated using (bucket_id = 'capitalbench-public-artifacts')
  $q$;
  execute $q$
    create policy capitalbench_public_artifacts_write on storage.objects
    to service_role using (bucket_id = 'capitalbench-public-artifacts')
    with check (bucket_id = 'capitalbench-public-artifacts')
  $q$;
end
$$;
