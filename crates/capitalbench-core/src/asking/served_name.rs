//! Whether a server's name for the model that answered is the requested one.

/// Whether `served` is the requested model: its very name, the name with a date or a numeric build
/// after it, or one of the names that were listed before the first call.
pub fn fits(requested: &str, served: &str, also: &[String]) -> bool {
    if served == requested || also.iter().any(|name| name == served) {
        return true;
    }
    let build = served
        .strip_prefix(requested)
        .and_then(|rest| rest.strip_prefix(['-', '@', ':']));
    build.is_some_and(|build| {
        let parts: Vec<&str> = build.split('-').collect();
        let digits = |part: &&str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        let lengths: Vec<usize> = parts.iter().map(|part| part.len()).collect();
        parts.iter().all(digits) && matches!(lengths[..], [3 | 4 | 6 | 8] | [4, 2, 2] | [2, 2])
    })
}

#[cfg(test)]
mod tests;
