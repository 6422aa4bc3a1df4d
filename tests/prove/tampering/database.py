"""The public database: rows that were edited, and rights that nobody asked for."""

import json
import subprocess
import time

from outside import Migrated
from tampering.attack import Attack
from tampering.registry import Told, tampering
from tampering.stage import AFTER

SYNC = "sync-web --rounds-dir rounds --include-cumulative --as-of 2026-12-20 --json"


def synced(a: Attack) -> dict[str, str]:
    """A database with everything of the folder in it, of this attack alone; how commands find it."""
    database = a.scene.database()
    if not hasattr(database, "of_tamperings"):
        database.of_tamperings = Migrated(database, a.world.binary)
    database.fresh(a.folder.name, Migrated.template)
    told = {"DATABASE_URL": database.url(a.folder.name)}
    a.world.must(a.folder, SYNC, AFTER, **told)
    return told


def ask(a: Attack, *statements: str) -> None:
    database = a.scene.database()
    words = [word for statement in statements for word in ("-c", statement)]
    database.call("psql", "-q", "-v", "ON_ERROR_STOP=1", "-h", "127.0.0.1", "-p", str(database.port), "-U", "postgres",
                  "-d", a.folder.name, *words)


def row(name: str, statement: str):
    @tampering(name, "report", "8")
    def do(a: Attack) -> Told:
        url = synced(a)
        ask(a, "set session_replication_role = replica", statement)
        done = a.world.run(a.folder, SYNC, AFTER, **url)
        written = json.loads(done.stdout)["rows_written"] if done.returncode == 0 else -1
        checked = a.world.run(a.folder, "db check", AFTER, **url).returncode
        found = written != 0 or checked != 0
        return Told(found, f"sync-web writes {written} rows, db check: exit {checked}" if found else "said to be up to date")


row("a return is edited in a row of the database", "update public.outcomes set return_fraction = 0.0455")
row("a price is edited in a row of the database", "update public.prices set price_usd = price_usd * 1.1 where side = 'exit'")
row("a row is deleted from the database", "delete from public.holdings where model_id = 'beta-large'")
row("a document is edited in the database", "update public.publication_documents set document = document || ' ' where kind = 'result'")


def addition(name: str, *statements: str, undo: tuple[str, ...] = ()):
    @tampering(f"{name} (db check)", "report", "8")
    def do(a: Attack) -> Told:
        url = synced(a)
        before = a.world.run(a.folder, "db check", AFTER, **url)
        assert before.returncode == 0, before.stdout
        try:
            ask(a, *statements)
            done = a.world.run(a.folder, "db check --json", AFTER, **url)
        finally:
            ask(a, *undo) if undo else None
        named = dict.fromkeys(f"`{own['code']}`" for own in json.loads(done.stdout)["findings"]) if done.returncode else {}
        return Told(done.returncode == 1, ", ".join(named) or "nothing is named")


addition("anybody becomes a member of the service's role", "grant service_role to anon", undo=("revoke service_role from anon",))
addition("anybody owns a table", "alter table public.outcomes owner to anon")
addition("a trigger changes rows as they are written",
         "create function public.bend() returns trigger language plpgsql as 'begin new.return_fraction := 1; return new; end'",
         "create trigger bend before insert or update on public.outcomes for each row execute function public.bend()")
addition("a rule answers in the place of a table",
         "create rule bend as on update to public.outcomes do instead nothing")
addition("a view shows what only the service may see",
         "create view public.peep as select * from public.resolution_jobs", "grant select on public.peep to anon")
addition("a materialised view keeps what only the service may see",
         "create materialized view public.peep as select * from public.resolution_jobs", "grant select on public.peep to anon")
addition("a function in another schema works with its owner's rights", "create schema aside",
         "create function aside.bend() returns void language sql security definer as 'delete from public.outcomes'",
         "grant usage on schema aside to anon", "grant execute on function aside.bend() to anon")
addition("tables of the future may be written by anybody",
         "alter default privileges in schema public grant insert, update on tables to anon")
addition("a child table adds rows to a table that everybody reads",
         "create table public.more () inherits (public.outcomes)", "grant insert on public.more to anon")
addition("an event trigger runs on every change of the schema",
         "create function public.watch() returns event_trigger language plpgsql as 'begin end'",
         "create event trigger watch on ddl_command_end execute function public.watch()")
addition("a role looks for tables elsewhere first", "alter role anon set search_path = aside, public",
         undo=("alter role anon reset search_path",))
addition("a role is held to no policy", "alter role anon bypassrls", undo=("alter role anon nobypassrls",))


@tampering("a reader of the database holds the lock under which everything is published", "report", "8")
def held_lock(a: Attack) -> Told:
    url = synced(a)
    database = a.scene.database()
    ask(a, "set session_replication_role = replica", "delete from public.holdings where model_id = 'beta-large'")
    words = [database.programs / "psql", "-q", "-h", "127.0.0.1", "-p", str(database.port), "-U", "postgres", "-d", a.folder.name,
             "-c", "set role anon", "-c", "select pg_advisory_lock(hashtextextended('capitalbench_apply', 0))",
             "-c", "select pg_sleep(20)"]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as reader:
        try:
            time.sleep(0.4)
            (a.round / "round_summary.md").write_text("# Round\n")
            try:
                start = time.monotonic()
                done = subprocess.run([a.world.binary, *SYNC.split()], cwd=a.folder, capture_output=True, text=True,
                                      timeout=6, env=a.world.environment(**url))
                return Told(done.returncode == 0, f"published in {time.monotonic() - start:.1f} s")
            except subprocess.TimeoutExpired:
                return Told(False, "publishing waits for the reader")
        finally:
            reader.kill()
