//! Roles: their attributes, memberships, settings, property and default rights.

use super::Question;

pub(super) const QUESTIONS: &[Question] = &[
    Question {
        code: "membership_unknown",
        remedy: "revoke the first role from the second; readers need anon and nothing else",
        // A member of a strong role has its rights, over any number of memberships.
        sql: ", strong(oid) as (
           select r.oid from pg_roles r where r.rolname in ('service_role', 'pg_database_owner',
             'pg_execute_server_program', 'pg_maintain', 'pg_read_all_data', 'pg_read_server_files',
             'pg_write_all_data', 'pg_write_server_files', 'pg_create_subscription')
             or r.rolsuper or r.rolbypassrls or r.rolcreaterole or r.oid in (select oid from keeper)
           union select m.member from pg_auth_members m join strong s on s.oid = m.roleid)
         select format('%s to %s', m.roleid::regrole, m.member::regrole),
           format('%s has the rights of %s', m.member::regrole, m.roleid::regrole)
         from pg_auth_members m
         where (m.member in (select oid from public_role)
             and not (m.member = to_regrole('service_role') and m.roleid in (select oid from their_role)
               and m.roleid::regrole::text like 'pgsodium\\_key%'))
           or (m.roleid in (select oid from strong) and m.member not in (
             select oid from keeper union select oid from their_role
             union select r.oid from pg_roles r where r.rolname = 'authenticator' or r.rolsuper))
         order by 1",
    },
    Question {
        code: "role_unknown",
        remedy: "alter role … nosuperuser nobypassrls nocreaterole nocreatedb noreplication, or drop it",
        sql: "select r.rolname::text, 'may ' || array_to_string(array_remove(array[
             case when r.rolsuper then 'do everything' end,
             case when r.rolbypassrls then 'ignore the policies' end,
             case when r.rolcreaterole then 'make roles' end,
             case when r.rolcreatedb and p.oid is not null then 'make databases' end,
             case when r.rolreplication then 'copy the whole server' end,
             case when r.rolcanlogin and p.oid is not null then 'log in' end], null), ', ')
         from pg_roles r left join public_role p on p.oid = r.oid
         where r.oid not in (select oid from keeper union select oid from their_role)
           and case when p.oid is null then r.rolsuper or r.rolbypassrls or r.rolreplication
             when r.rolname = 'service_role' then r.rolsuper or r.rolcreaterole or r.rolcreatedb or r.rolreplication or r.rolcanlogin
             else r.rolsuper or r.rolbypassrls or r.rolcreaterole or r.rolcreatedb or r.rolreplication or r.rolcanlogin end
         order by 1",
    },
    Question {
        code: "role_setting_unknown",
        remedy: "alter role … reset …, or alter database … reset …",
        sql: "select case when s.setrole = 0 then 'every role' else s.setrole::regrole::text end,
           'has the setting ' || setting
         from pg_db_role_setting s, unnest(s.setconfig) setting
         where s.setdatabase in (0, (select d.oid from pg_database d where d.datname = current_database()))
           and (s.setrole = 0 or s.setrole in (select oid from keeper union select oid from public_role)
             or s.setrole = to_regrole('authenticator'))
           and lower(split_part(setting, '=', 1)) !~ ('^(statement_timeout|lock_timeout|idle_in_transaction_session_timeout'
             '|idle_session_timeout|transaction_timeout|log_.*|app\\.settings\\..*|timezone|work_mem'
             '|maintenance_work_mem|random_page_cost|effective_cache_size|jit)$')
           and not ((select yes from hosted) and (s.setrole in (select oid from their_role)
             and setting like 'search\\_path=%' or s.setrole = to_regrole('authenticator')
             and setting in ('session_preload_libraries=safeupdate', 'session_preload_libraries=supautils, safeupdate',
               'session_preload_libraries=supautils')))
         order by 1, 2",
    },
    Question {
        code: "owner_unknown",
        remedy: "alter … owner to the owner of the other tables",
        sql: "select what, 'belongs to ' || owner::regrole from (
           select c.oid::regclass::text, c.relowner from pg_class c
             where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'f', 'S')
             and not exists (select from member_of_extension e where e.classid = 'pg_class'::regclass and e.objid = c.oid)
           union all select p.oid::regprocedure::text, p.proowner from pg_proc p
             where p.pronamespace = 'public'::regnamespace
             and not exists (select from member_of_extension e where e.classid = 'pg_proc'::regclass and e.objid = p.oid)
           union all select 'schema public', n.nspowner from pg_namespace n
             where n.nspname = 'public' and n.nspowner <> coalesce(to_regrole('pg_database_owner'), 0)
           union all select 'database ' || d.datname, d.datdba from pg_database d where d.datname = current_database()
         ) o (what, owner)
         where owner not in (select oid from keeper union select oid from their_role) order by 1",
    },
    Question {
        code: "default_right_unknown",
        remedy: "alter default privileges … revoke …",
        sql: "select format('%s: new %s', d.defaclrole::regrole, case d.defaclobjtype when 'r' then 'tables'
             when 'S' then 'sequences' when 'f' then 'functions' when 'T' then 'types' else 'schemas' end
             || coalesce(' in ' || nullif(d.defaclnamespace, 0)::regnamespace, '')),
           format('%s gets %s', case when a.grantee = 0 then 'everybody' else a.grantee::regrole::text end,
             lower(a.privilege_type))
         from pg_default_acl d, aclexplode(d.defaclacl) a
         where a.grantee <> d.defaclrole and not ((select yes from hosted)
           and d.defaclrole in (select oid from their_role)
           and (d.defaclnamespace = 'public'::regnamespace or d.defaclnamespace in (select oid from their_schema)))
         order by 1, 2",
    },
    Question {
        code: "right_to_create",
        remedy: "revoke create on schema … or database … from the role and from public",
        sql: "select what, r.oid::regrole || ' may create things there' from public_role r, (
           select 'schema ' || n.nspname, n.oid from pg_namespace n where n.nspname !~ '^pg_(toast|temp)') s (what, oid)
         where has_schema_privilege(r.oid, s.oid, 'create')
         union all select 'database ' || current_database(), r.oid::regrole || ' may create schemas there'
         from public_role r where has_database_privilege(r.oid, current_database(), 'create')
         order by 1, 2",
    },
    Question {
        code: "parameter_right_unknown",
        remedy: "revoke set, alter system on parameter … from the role",
        sql: "select p.parname, format('%s may set it', case when a.grantee = 0 then 'everybody' else a.grantee::regrole::text end)
         from pg_parameter_acl p, aclexplode(p.paracl) a
         where a.grantee = 0 or a.grantee in (select oid from public_role)
           or a.grantee = to_regrole('authenticator') order by 1, 2",
    },
];
