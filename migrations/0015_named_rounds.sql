-- A row that names a round is readable only where that round is: the last round of a track, the first and
-- the last of a model. A policy sees rounds as its reader does, so it can only ask which rounds are there,
-- never which are withheld.
alter policy readable on public.boards using (
  resolved_round_count = (
    select count(*) from public.board_rounds l where l.track = boards.track and l.round_id in (
      select r.round_id from public.rounds r where r.published and r.state = 'resolved'
      and (r.is_synthetic or r.exit_date <= (now() at time zone 'utc')::date)))
  and (latest_round_id is null or latest_round_id in (
    select r.round_id from public.rounds r where r.published and r.state = 'resolved'
    and (r.is_synthetic or r.exit_date <= (now() at time zone 'utc')::date)))
);

alter policy readable on public.models using (
  first_round_id in (select r.round_id from public.rounds r where r.published and r.state <> 'draft')
  and last_round_id in (select r.round_id from public.rounds r where r.published and r.state <> 'draft')
);
