//! The aspects of a schema that are compared.

use super::super::{MIGRATE, POLICIES, RIGHTS};

/// One kind of object in a schema.
pub(super) struct Aspect {
    /// The code for an object that is different or missing.
    pub(super) changed: &'static str,
    /// The code for an object that the migrations do not make.
    pub(super) unknown: &'static str,
    pub(super) remedy: &'static str,
    /// Whether another check reports a missing object.
    pub(super) missing_is_told: bool,
    /// Returns subjects, which begin with their table if they have one, and texts; `$1` is the schema.
    pub(super) question: &'static str,
}

const FUNCTION: &str = "create it again from migrations/ or drop it, and find out who changed it";
const DROP: &str = "drop it, or create it again: the statements are in migrations/";

/// All aspects; relations must come first.
pub(super) const ASPECTS: &[Aspect] = &[
    Aspect {
        changed: "relation_changed",
        unknown: "relation_unknown",
        remedy: "drop it, or move it to a database of its own; ours are created by migrations/",
        missing_is_told: true,
        question: "select c.relname::text, format('%s, persistence %s, row security %s, forced %s, options %s, identity %s',
             case c.relkind when 'r' then 'table' when 'v' then 'view' when 'm' then 'materialised view'
               when 'f' then 'foreign table' when 'S' then 'sequence' else 'partitioned table' end,
             c.relpersistence, c.relrowsecurity, c.relforcerowsecurity, coalesce(c.reloptions::text, ''), c.relreplident)
           from pg_class c where c.relnamespace = to_regnamespace($1::text) and c.relkind in ('r', 'v', 'm', 'f', 'S', 'p')
             and not exists (select from pg_depend e where e.classid = 'pg_class'::regclass and e.objid = c.oid and e.deptype = 'e')",
    },
    Aspect {
        changed: "column_changed",
        unknown: "column_unknown",
        remedy: DROP,
        missing_is_told: false,
        question: "select c.relname || '.' || a.attname, format('%s %s %s%s %s %s', format_type(a.atttypid, a.atttypmod),
             case when a.attnotnull then 'not null' end, a.attgenerated, a.attidentity,
             pg_get_expr(d.adbin, d.adrelid), a.attcollation::regcollation)
           from pg_attribute a join pg_class c on c.oid = a.attrelid and c.relkind = 'r'
           left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
           where c.relnamespace = to_regnamespace($1::text) and a.attnum > 0 and not a.attisdropped",
    },
    Aspect {
        changed: "right_changed",
        unknown: "right_unknown",
        remedy: RIGHTS,
        missing_is_told: false,
        question: "select what || ': ' || case when a.grantee = 0 then 'everybody' else a.grantee::regrole::text end
             || ' may ' || lower(a.privilege_type) || case when a.is_grantable then ' and give it away' else '' end, ''
           from (
             select c.relname::text, c.relowner, c.relacl from pg_class c where c.relnamespace = to_regnamespace($1::text)
               and c.relkind in ('r', 'v', 'm', 'f', 'S', 'p')
             union all select c.relname || '.' || a.attname, c.relowner, a.attacl from pg_attribute a
               join pg_class c on c.oid = a.attrelid where c.relnamespace = to_regnamespace($1::text)
             union all select p.proname || '(' || pg_get_function_identity_arguments(p.oid) || ')', p.proowner,
               coalesce(p.proacl, acldefault('f', p.proowner)) from pg_proc p where p.pronamespace = to_regnamespace($1::text)
               and not exists (select from pg_depend e where e.classid = 'pg_proc'::regclass and e.objid = p.oid and e.deptype = 'e')
           ) o (what, owner, acl), aclexplode(o.acl) a where a.grantee <> o.owner",
    },
    Aspect {
        changed: "index_changed",
        unknown: "index_unknown",
        remedy: DROP,
        missing_is_told: false,
        question: "select t.relname || ': ' || c.relname, format('%s valid %s', pg_get_indexdef(i.indexrelid), i.indisvalid)
           from pg_index i join pg_class c on c.oid = i.indexrelid join pg_class t on t.oid = i.indrelid
           where t.relnamespace = to_regnamespace($1::text)",
    },
    Aspect {
        changed: "trigger_changed",
        unknown: "trigger_unknown",
        remedy: "drop trigger …, or alter table … enable trigger all",
        missing_is_told: false,
        question: "select c.relname || ': ' || t.tgname, format('%s enabled %s', pg_get_triggerdef(t.oid), t.tgenabled)
             from pg_trigger t join pg_class c on c.oid = t.tgrelid
             where c.relnamespace = to_regnamespace($1::text) and not t.tgisinternal
           union all select c.relname || ': checks of references', string_agg(distinct t.tgenabled::text, ' ') || ' ' || count(*)
             from pg_trigger t join pg_class c on c.oid = t.tgrelid
             where c.relnamespace = to_regnamespace($1::text) and t.tgisinternal group by c.relname",
    },
    Aspect {
        changed: "rule_changed",
        unknown: "rule_unknown",
        remedy: "drop rule … on …",
        missing_is_told: false,
        question: "select c.relname || ': ' || r.rulename, pg_get_ruledef(r.oid)
           from pg_rewrite r join pg_class c on c.oid = r.ev_class
           where c.relnamespace = to_regnamespace($1::text) and c.relkind not in ('v', 'm')",
    },
    Aspect {
        changed: "policy_changed",
        unknown: "policy_unknown",
        remedy: POLICIES,
        missing_is_told: true,
        question: "select tablename || ': ' || policyname, format('%s for %s to %s using (%s) with check (%s)',
             permissive, cmd, array(select unnest(roles) order by 1), qual, with_check)
           from pg_policies where schemaname = $1::text",
    },
    Aspect {
        changed: "function_changed",
        unknown: "function_unknown",
        remedy: FUNCTION,
        missing_is_told: true,
        question: "select p.proname || '(' || pg_get_function_identity_arguments(p.oid) || ')',
             case when p.prokind = 'a' then 'an aggregate' else pg_get_functiondef(p.oid) end
           from pg_proc p where p.pronamespace = to_regnamespace($1::text)
             and not exists (select from pg_depend e where e.classid = 'pg_proc'::regclass and e.objid = p.oid and e.deptype = 'e')",
    },
    Aspect {
        changed: "constraint_changed",
        unknown: "constraint_unknown",
        remedy: MIGRATE,
        missing_is_told: false,
        question: "select c.relname || ': ' || k.conname, format('%s valid %s', pg_get_constraintdef(k.oid), k.convalidated)
           from pg_constraint k join pg_class c on c.oid = k.conrelid where c.relnamespace = to_regnamespace($1::text)",
    },
    Aspect {
        changed: "statistics_changed",
        unknown: "statistics_unknown",
        remedy: "drop statistics …",
        missing_is_told: false,
        question: "select c.relname || ': ' || s.stxname, pg_get_statisticsobjdef(s.oid)
           from pg_statistic_ext s join pg_class c on c.oid = s.stxrelid where c.relnamespace = to_regnamespace($1::text)",
    },
];

/// Returns each table with the expression that compares a row with its digest.
pub(super) const COMPARED: &str = "select c.relname::text, pg_get_expr(d.adbin, d.adrelid)
  from pg_attribute a join pg_class c on c.oid = a.attrelid
  join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
  where c.relnamespace = to_regnamespace($1::text) and a.attname = 'content_holds' order by 1";
