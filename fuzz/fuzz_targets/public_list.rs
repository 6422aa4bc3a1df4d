#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| capitalbench_fuzz::stored::public_list(bytes));
