-- What is held, priced and returned is an option of the round's own universe. Rows that are there
-- already learn it from their round; the next sync writes them again, with the digest of what they say now.
alter table public.rounds add constraint rounds_universe unique (round_id, universe_key);

do $$
declare
  tab text;
begin
  foreach tab in array array['holdings', 'control_holdings', 'prices', 'option_returns'] loop
    execute format('alter table public.%I add column universe_key text', tab);
    execute format(
      'update public.%1$I t set universe_key = r.universe_key from public.rounds r where r.round_id = t.round_id',
      tab);
  end loop;
  -- Keys of updated rows are looked at now: a table with keys to look at later cannot be altered.
  set constraints all immediate;
  foreach tab in array array['holdings', 'control_holdings', 'prices', 'option_returns'] loop
    execute format(
      'alter table public.%1$I alter column universe_key set not null,
         add constraint %2$I foreign key (round_id, universe_key)
           references public.rounds (round_id, universe_key) deferrable initially deferred,
         add constraint %3$I foreign key (universe_key, option_id)
           references public.options (universe_key, option_id) deferrable initially deferred',
      tab, tab || '_universe', tab || '_option');
  end loop;
end
$$;
