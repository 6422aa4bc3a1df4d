//! The rules of CapitalBench as pure functions over typed values.
