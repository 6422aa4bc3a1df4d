-- Rounds to resolve, shared by any number of workers. A worker holds a job under a lease; whoever
-- comes after the lease ran out takes it over under a higher number, and the number of the one
-- before no longer changes anything.
create table public.resolution_jobs (
  round_id text primary key,
  run_id text not null,
  due_at timestamptz not null,
  next_attempt_at timestamptz,
  status text not null default 'scheduled'
    check (status in ('scheduled', 'running', 'succeeded', 'failed', 'cancelled', 'given_up')),
  attempts int not null default 0 check (attempts >= 0),
  max_attempts int not null default 30 check (max_attempts >= 1),
  last_error text not null default '',
  lease_number bigint not null default 0,
  lease_holder text,
  lease_until timestamptz,
  created_at timestamptz not null default now(),
  completed_at timestamptz,
  outcome jsonb,
  check ((status = 'running') = (lease_until is not null)),
  check ((status = 'running') = (lease_holder is not null)),
  check ((status = 'succeeded') = (completed_at is not null)),
  check (attempts <= max_attempts)
);

create index on public.resolution_jobs (status, next_attempt_at);

-- Plans the job of a round; one that is there for the same run stays as it is.
create function public.capitalbench_schedule_job(
  round_id text, run_id text, due_at timestamptz, max_attempts int default 30
) returns jsonb language plpgsql security invoker set search_path = '' as $$
declare
  job public.resolution_jobs;
begin
  insert into public.resolution_jobs as j (round_id, run_id, due_at, next_attempt_at, max_attempts)
  values ($1, $2, $3, $3, $4)
  on conflict on constraint resolution_jobs_pkey do update
    set run_id = excluded.run_id, due_at = excluded.due_at,
        next_attempt_at = excluded.next_attempt_at, max_attempts = excluded.max_attempts,
        status = 'scheduled', attempts = 0, last_error = '', lease_holder = null,
        lease_until = null, completed_at = null, outcome = null
    where j.run_id <> excluded.run_id and j.status <> 'running';
  select * into job from public.resolution_jobs j where j.round_id = $1;
  return to_jsonb(job);
end
$$;

-- Takes the job that waits longest, or says null. Jobs whose worker died with the last attempt are
-- given up here, where everybody can see it.
create function public.capitalbench_claim_job(worker text, lease_seconds int)
returns jsonb language plpgsql security invoker set search_path = '' as $$
declare
  job public.resolution_jobs;
begin
  if worker is null or worker = '' or lease_seconds is null or lease_seconds < 1 then
    raise exception 'a worker needs a name, and a lease at least one second' using errcode = '22023';
  end if;
  update public.resolution_jobs
    set status = 'given_up', lease_holder = null, lease_until = null, next_attempt_at = null,
        last_error = 'the worker of the last attempt did not come back'
    where resolution_jobs.round_id in (
      select dead.round_id from public.resolution_jobs dead
      where dead.status = 'running' and dead.lease_until < now()
        and dead.attempts >= dead.max_attempts
      for update skip locked
    );
  select * into job from public.resolution_jobs j
    where j.attempts < j.max_attempts
      and (
        (j.status in ('scheduled', 'failed') and coalesce(j.next_attempt_at, j.due_at) <= now())
        or (j.status = 'running' and j.lease_until < now())
      )
    order by coalesce(j.next_attempt_at, j.due_at), j.round_id
    limit 1
    for update skip locked;
  if not found then
    return null;
  end if;
  update public.resolution_jobs j
    set status = 'running', attempts = j.attempts + 1, lease_number = j.lease_number + 1,
        lease_holder = worker, lease_until = now() + make_interval(secs => lease_seconds),
        last_error = ''
    where j.round_id = job.round_id
    returning * into job;
  return to_jsonb(job);
end
$$;

-- Prolongs a lease; false means that it is lost and the worker must stop.
create function public.capitalbench_heartbeat_job(round_id text, lease_number bigint, lease_seconds int)
returns boolean language plpgsql security invoker set search_path = '' as $$
begin
  update public.resolution_jobs j
    set lease_until = now() + make_interval(secs => $3)
    where j.round_id = $1 and j.lease_number = $2 and j.status = 'running';
  return found;
end
$$;

-- The round is resolved; false means that the lease was lost.
create function public.capitalbench_finish_job(round_id text, lease_number bigint, outcome jsonb default '{}')
returns boolean language plpgsql security invoker set search_path = '' as $$
begin
  update public.resolution_jobs j
    set status = 'succeeded', completed_at = now(), outcome = $3, last_error = '',
        lease_holder = null, lease_until = null, next_attempt_at = null
    where j.round_id = $1 and j.lease_number = $2 and j.status = 'running';
  return found;
end
$$;

-- The attempt failed. The next one waits five minutes, doubled each time, at most twelve hours;
-- after the last one the job is given up. Null means that the lease was lost.
create function public.capitalbench_fail_job(round_id text, lease_number bigint, error text)
returns text language plpgsql security invoker set search_path = '' as $$
declare
  status_now text;
begin
  update public.resolution_jobs j
    set status = case when j.attempts >= j.max_attempts then 'given_up' else 'failed' end,
        next_attempt_at = case when j.attempts >= j.max_attempts then null
          else now() + least(interval '5 minutes' * (2 ^ least(j.attempts - 1, 16)), interval '12 hours') end,
        last_error = left(regexp_replace($3, '\s+', ' ', 'g'), 600),
        lease_holder = null, lease_until = null
    where j.round_id = $1 and j.lease_number = $2 and j.status = 'running'
    returning j.status into status_now;
  return status_now;
end
$$;

-- A limit of an outside service ended the attempt; it does not count. False means a lost lease.
create function public.capitalbench_defer_job(
  round_id text, lease_number bigint, reason text, until timestamptz
) returns boolean language plpgsql security invoker set search_path = '' as $$
begin
  update public.resolution_jobs j
    set status = 'scheduled', attempts = greatest(j.attempts - 1, 0), next_attempt_at = $4,
        last_error = left(regexp_replace($3, '\s+', ' ', 'g'), 600),
        lease_holder = null, lease_until = null
    where j.round_id = $1 and j.lease_number = $2 and j.status = 'running';
  return found;
end
$$;

-- The operator wants a job tried again, or made; attempts that were used up are given back. Null means
-- that a worker has it, or that it has succeeded.
create function public.capitalbench_retry_job(
  round_id text, run_id text, due_at timestamptz, next_attempt_at timestamptz default null
) returns jsonb language plpgsql security invoker set search_path = '' as $$
declare
  job public.resolution_jobs;
begin
  insert into public.resolution_jobs as j (round_id, run_id, due_at, next_attempt_at)
  values ($1, $2, $3, coalesce($4, $3))
  on conflict on constraint resolution_jobs_pkey do update
    set run_id = excluded.run_id, due_at = excluded.due_at, next_attempt_at = excluded.next_attempt_at,
        status = 'scheduled', last_error = '', lease_holder = null, lease_until = null, outcome = null,
        completed_at = null, attempts = case when j.attempts >= j.max_attempts then 0 else j.attempts end
    where not (j.status = 'running' and j.lease_until >= now())
      and not (j.status = 'succeeded' and j.run_id = excluded.run_id)
  returning * into job;
  return case when job.round_id is null then null else to_jsonb(job) end;
end
$$;

-- Nobody shall try. Null means that there is no such job, that a worker has it, or that it has succeeded.
create function public.capitalbench_cancel_job(round_id text, reason text)
returns jsonb language plpgsql security invoker set search_path = '' as $$
declare
  job public.resolution_jobs;
begin
  update public.resolution_jobs j
    set status = 'cancelled', next_attempt_at = null, lease_holder = null, lease_until = null,
        last_error = left(regexp_replace($2, '\s+', ' ', 'g'), 600)
    where j.round_id = $1 and j.status <> 'succeeded'
      and not (j.status = 'running' and j.lease_until >= now())
    returning * into job;
  return case when job.round_id is null then null else to_jsonb(job) end;
end
$$;
