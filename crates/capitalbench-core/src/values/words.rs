//! The stored words of an enum: one table, read and written by the same lines.

/// Gives an enum `as_str` and `parse` from one table of variants and words; a variant without a
/// word does not compile.
macro_rules! words {
    ($name:ident { $($variant:ident => $word:literal,)+ }) => {
        impl $name {
            /// The stored word.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }

            /// Reads the stored word.
            pub fn parse(text: &str) -> Option<Self> {
                match text {
                    $($word => Some(Self::$variant),)+
                    _ => None,
                }
            }
        }
    };
}

pub(crate) use words;
