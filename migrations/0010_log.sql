-- The signed log as the site publishes it, in bundles of files. What it tells of one round (where its
-- leaves stand, salts of the files that are shown) is withheld as the files of that round are; the tree
-- itself holds digests and seals only and cannot be shown in part.
alter table public.publication_parts
  drop constraint publication_parts_part_check,
  add constraint publication_parts_part_check
    check (part ~ '^(catalog|round/.+|board/(weekly|monthly)|set/.+|log/.+)$');

create table public.log_files (
  part text not null references public.publication_parts deferrable initially deferred,
  content_sha256 text not null check (content_sha256 ~ '^[0-9a-f]{64}$'),
  round_id text,
  sha256 text not null,
  file_count bigint not null,
  byte_count bigint not null,
  holds_results boolean not null,
  content text not null,
  primary key (part),
  unique (part, content_sha256),
  foreign key (round_id) references public.rounds deferrable initially deferred,
  check (sha256 ~ '^[0-9a-f]{64}$'),
  check (file_count >= 0 and byte_count >= 0),
  check (case when round_id is null then part like 'log/%' and not holds_results
    else part = 'round/' || round_id end)
);

alter table public.log_files enable row level security;
revoke all on public.log_files from public, anon, authenticated, service_role;
grant select, insert, update, delete on public.log_files to service_role;
grant select on public.log_files to anon, authenticated;

create policy service on public.log_files to service_role using (true) with check (true);
create policy readable on public.log_files for select to anon, authenticated using (
  case
    when round_id is null then true
    when holds_results then round_id in (
      select r.round_id from public.rounds r where r.published and r.state = 'resolved'
      and (r.is_synthetic or r.exit_date <= (now() at time zone 'utc')::date))
    else round_id in (select r.round_id from public.rounds r where r.published)
  end
);
