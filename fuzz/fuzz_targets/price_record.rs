#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| capitalbench_fuzz::price_files::price_record(bytes));
