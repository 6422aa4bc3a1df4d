-- The roles of a Supabase project, made where they are missing, so that plain PostgreSQL has the
-- same policies.
do $$
declare
  name text;
begin
  foreach name in array array['anon', 'authenticated', 'service_role'] loop
    if not exists (select from pg_catalog.pg_roles where rolname = name) then
      begin
        execute format('create role %I nologin noinherit', name);
      exception when duplicate_object then
        null; -- another database of this server was first
      end;
    end if;
    -- `db check` asks as the readers what they may see; nobody needs the service role to be the owner.
    if name <> 'service_role' and not pg_catalog.pg_has_role(current_user, name, 'member') then
      execute format('grant %I to current_user', name);
    end if;
  end loop;
end
$$;

grant usage on schema public to anon, authenticated, service_role;
revoke create on schema public from public;
