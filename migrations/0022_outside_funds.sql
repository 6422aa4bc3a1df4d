-- A configured control may hold a fund that the universe of its round does not offer.
alter table public.control_holdings drop constraint control_holdings_option;
