//! Objects in any schema: relations, functions, types, and triggers of all kinds.

use super::Question;

const DROP: &str = "drop it, or move it to a database of its own";

pub(super) const QUESTIONS: &[Question] = &[
    Question {
        code: "schema_unknown",
        remedy: DROP,
        sql: "select n.nspname::text, 'is a schema that is not on the list' from pg_namespace n
         where n.nspname !~ '^pg_(toast|temp)' and n.nspname not in ('pg_catalog', 'information_schema', 'public')
           and n.oid not in (select oid from their_schema)
           and not exists (select from member_of_extension e where e.classid = 'pg_namespace'::regclass and e.objid = n.oid)
         order by 1",
    },
    Question {
        code: "relation_unknown",
        remedy: DROP,
        // In a schema of Supabase, tables may also belong to the keeper, as on a self-hosted server.
        sql: "select c.oid::regclass::text, case c.relkind when 'v' then 'is a view' when 'm' then 'is a materialised view'
             when 'f' then 'is a foreign table' when 'S' then 'is a sequence' when 'p' then 'is a partitioned table'
             else 'is a table' end || ' that is not on the list'
         from pg_class c
         where c.relkind in ('r', 'p', 'v', 'm', 'f', 'S') and c.relpersistence <> 't'
           and (c.oid >= 16384 and c.relnamespace <> 'public'::regnamespace)
           and not exists (select from member_of_extension e where e.classid = 'pg_class'::regclass and e.objid = c.oid)
           and not (c.relnamespace in (select oid from their_schema) and (c.relowner in (select oid from their_role)
             or c.relkind in ('r', 'S', 'p') and c.relowner in (select oid from keeper)))
         order by 1",
    },
    Question {
        code: "view_of_ours",
        remedy: "drop it: a view shows rows with the rights of its owner, whatever the policies say",
        sql: "select distinct r.ev_class::regclass::text, 'reads ' || d.refobjid::regclass
         from pg_depend d join pg_rewrite r on d.classid = 'pg_rewrite'::regclass and r.oid = d.objid
         where d.refclassid = 'pg_class'::regclass and d.refobjid in (select oid from ours)
           and r.ev_class not in (select oid from ours) order by 1, 2",
    },
    Question {
        code: "child_table",
        remedy: "alter table … no inherit …, or detach it, and drop it",
        sql: "select i.inhrelid::regclass::text, 'its rows are those of ' || i.inhparent::regclass
         from pg_inherits i join pg_class c on c.oid = i.inhrelid
         where c.relkind in ('r', 'f', 'p')
           and (i.inhparent in (select oid from ours) or i.inhrelid in (select oid from ours)) order by 1",
    },
    Question {
        code: "definer_function",
        remedy: "drop it, or alter function … security invoker: it acts with the rights of its owner",
        sql: "select p.oid::regprocedure::text, 'acts with the rights of ' || p.proowner::regrole
         from pg_proc p where p.prosecdef
           and not exists (select from member_of_extension e where e.classid = 'pg_proc'::regclass and e.objid = p.oid)
           and not (p.pronamespace in (select oid from their_schema) and p.proowner in (
             select t.oid from their_role t where t.oid::regrole::text <> 'postgres'
             union select to_regrole('postgres') where (select yes from hosted) and p.proname = 'get_auth'
               and p.pronamespace = to_regnamespace('pgbouncer')))
         order by 1",
    },
    Question {
        code: "function_elsewhere",
        remedy: DROP,
        sql: "select p.oid::regprocedure::text, 'is a function that is not on the list' from pg_proc p
         where p.oid >= 16384 and p.pronamespace <> 'public'::regnamespace
           and p.pronamespace::regnamespace::text !~ '^pg_temp'
           and not exists (select from member_of_extension e where e.classid = 'pg_proc'::regclass and e.objid = p.oid)
           and not (p.pronamespace in (select oid from their_schema)
             and p.proowner in (select oid from their_role union select oid from keeper))
         order by 1",
    },
    Question {
        code: "event_trigger_unknown",
        remedy: "drop event trigger …",
        sql: "select t.evtname::text, format('calls %s at %s', t.evtfoid::regprocedure, t.evtevent)
         from pg_event_trigger t
         where not ((select yes from hosted) and t.evtowner in (select oid from their_role) and t.evtname in (
             'issue_graphql_placeholder', 'issue_pg_cron_access', 'issue_pg_graphql_access',
             'issue_pg_net_access', 'pgrst_ddl_watch', 'pgrst_drop_watch')
           and exists (select from pg_proc p where p.oid = t.evtfoid and p.pronamespace in (select oid from their_schema)))
         order by 1",
    },
    Question {
        code: "definition_unknown",
        remedy: DROP,
        // Objects that could stand in for something that our statements use.
        sql: "select o.what, o.kind || ' is not on the list' from (
             select 'pg_cast'::regclass, c.oid, format('%s as %s', c.castsource::regtype, c.casttarget::regtype), 'the cast', 0::oid from pg_cast c
             union all select 'pg_operator'::regclass, o.oid, o.oid::regoperator::text, 'the operator', o.oprnamespace from pg_operator o
             union all select 'pg_opclass'::regclass, o.oid, o.opcname::text, 'the operator class', o.opcnamespace from pg_opclass o
             union all select 'pg_conversion'::regclass, c.oid, c.conname::text, 'the conversion', c.connamespace from pg_conversion c
             union all select 'pg_language'::regclass, l.oid, l.lanname::text, 'the language', 0::oid from pg_language l
             union all select 'pg_transform'::regclass, t.oid, t.trftype::regtype::text, 'the transform', 0::oid from pg_transform t
             union all select 'pg_am'::regclass, a.oid, a.amname::text, 'the access method', 0::oid from pg_am a
             union all select 'pg_type'::regclass, t.oid, t.oid::regtype::text, 'the type', t.typnamespace from pg_type t
               where t.typtype in ('d', 'e', 'r', 'm') or t.typtype = 'b' and t.typelem = 0
           ) o (classid, oid, what, kind, namespace)
         where o.oid >= 16384 and o.namespace not in (select oid from their_schema)
           and not exists (select from member_of_extension e where e.classid = o.classid and e.objid = o.oid)
         order by 1",
    },
    Question {
        code: "extension_unknown",
        remedy: "drop extension …, or move it out of the schema public",
        sql: "select x.extname::text, 'is an extension in ' || x.extnamespace::regnamespace from pg_extension x
         where not (x.extname = 'plpgsql' or x.extnamespace <> 'public'::regnamespace and (
           x.extname = 'pg_stat_statements' or (select yes from hosted) and x.extname in (
             'pg_graphql', 'pg_net', 'pgcrypto', 'pgjwt', 'pgsodium', 'supabase_vault', 'uuid-ossp')))
         order by 1",
    },
];
