//! Ways in and out: replication, foreign servers, the object storage, and settings of the server.

use super::Question;

pub(super) const QUESTIONS: &[Question] = &[
    Question {
        code: "publication_unknown",
        remedy: "drop publication …, or take our tables out of it",
        sql: "select p.pubname::text, 'sends changes to whoever subscribes' from pg_publication p
         where p.puballtables or not ((select yes from hosted) and p.pubname in (
           'supabase_realtime', 'supabase_realtime_messages_publication'))
         union all select t.pubname::text, 'sends every row of ' || t.tablename from pg_publication_tables t
         where t.schemaname = 'public' order by 1, 2",
    },
    Question {
        code: "subscription_unknown",
        remedy: "drop subscription …",
        sql: "select s.subname::text, 'writes what another server sends' from pg_subscription s
         where s.subdbid = (select d.oid from pg_database d where d.datname = current_database()) order by 1",
    },
    Question {
        code: "replication_slot_unknown",
        remedy: "select pg_drop_replication_slot(…)",
        sql: "select s.slot_name::text, 'keeps every change for a copy' from pg_replication_slots s
         where s.database = current_database()
           and not ((select yes from hosted) and s.slot_name ~ '^supabase_(realtime|etl)') order by 1",
    },
    Question {
        code: "foreign_server_unknown",
        remedy: "drop server … cascade, drop foreign data wrapper … cascade",
        sql: "select s.srvname::text, 'is a way to another server' from pg_foreign_server s
         union all select w.fdwname::text, 'is a way to other servers' from pg_foreign_data_wrapper w
         where not exists (select from member_of_extension e
           where e.classid = 'pg_foreign_data_wrapper'::regclass and e.objid = w.oid) order by 1",
    },
    Question {
        code: "security_label_unknown",
        remedy: "security label … is null",
        sql: "select l.objname, format('%s: %s', l.provider, l.label) from pg_seclabels l
         where l.objoid in (select oid from ours union select oid from public_role) order by 1",
    },
    Question {
        code: "storage_policy_unknown",
        remedy: "drop policy …: who may list the objects finds what rows withhold",
        sql: "select p.tablename || ': ' || p.policyname,
           format('lets %s %s objects', array_to_string(p.roles, ', '), lower(p.cmd))
         from pg_policies p
         where p.schemaname = 'storage' and p.tablename in ('objects', 'buckets')
           and not (p.policyname = 'capitalbench_public_artifacts_write' and p.roles = array['service_role']::name[])
         union all select c.oid::regclass::text, 'row-level security is off' from pg_class c
         where c.oid in (to_regclass('storage.objects'), to_regclass('storage.buckets')) and not c.relrowsecurity
         order by 1",
    },
    Question {
        code: "setting_unknown",
        remedy: "put it back in postgresql.conf or with alter system reset …, and restart",
        sql: "select s.name, 'is ' || s.setting from pg_settings s
         where s.name in ('session_replication_role', 'row_security', 'session_preload_libraries', 'local_preload_libraries')
           and s.setting <> s.boot_val and s.source not in ('session', 'client', 'user', 'database', 'database user')
           and not ((select yes from hosted) and s.name = 'session_preload_libraries') order by 1",
    },
];
