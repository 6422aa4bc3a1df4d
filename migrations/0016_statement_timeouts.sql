-- A hosted project ends a statement of the service after eight seconds, and a large state or delta may
-- take longer. PostgREST reads this setting of a function and puts it in force before it calls the function;
-- a call by the database's own protocol keeps the limit of its role. Both limits lie below the time that the
-- program waits for an answer (two minutes), so that the server says what happened before the program leaves.
alter function public.capitalbench_state(text) set statement_timeout = '60s';
alter function public.capitalbench_apply(jsonb) set statement_timeout = '100s';
