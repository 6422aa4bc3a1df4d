-- The bucket of public artifacts, where this is Supabase: who knows the name of an object reads it, the
-- service writes. Names hold the digest of the content and stand in rows; nobody else may list them, so
-- that what is withheld in the rows cannot be found here.
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
    create policy capitalbench_public_artifacts_write on storage.objects
    to service_role using (bucket_id = 'capitalbench-public-artifacts')
    with check (bucket_id = 'capitalbench-public-artifacts')
  $q$;
end
$$;
