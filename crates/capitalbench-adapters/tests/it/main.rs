//! Tests of the whole crate against servers and folders of this machine only.

mod answers;
mod csv_folder;
mod fake_server;
mod http_limits;
mod other_sources;
mod outside_clock;
mod providers;
mod supabase;
mod tiingo;
mod tiingo_faults;
mod tiingo_transport;
