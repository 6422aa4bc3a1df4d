//! The CapitalBench command line.
fn main() {}
