//! What a list of windows tells by itself; models of one roster share it.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use jiff::civil::Date;

use crate::evidence::inference::overlap::{Overlap, live_sessions};
use crate::round::manifest::Window;

/// Overlap and live sessions of some windows.
#[derive(Debug)]
pub(crate) struct Frame {
    /// How the windows overlap.
    pub(crate) overlap: Overlap,
    /// Sessions on which at least one of them is live, with how many are.
    pub(crate) live: Vec<(Date, u32)>,
    /// How many there are.
    pub(crate) count: usize,
}

/// Frames by their windows: most models of a board took part in the same rounds.
#[derive(Debug, Default)]
pub(crate) struct Frames(RefCell<ByWindows>);

type ByWindows = BTreeMap<Vec<(Date, Date)>, Rc<Frame>>;

impl Frames {
    /// The frame of these windows, computed once.
    pub(crate) fn of(&self, windows: &[Window]) -> Rc<Frame> {
        let key: Vec<(Date, Date)> = windows.iter().map(|w| (w.entry, w.exit)).collect();
        let mut known = self.0.borrow_mut();
        let frame = known.entry(key).or_insert_with(|| {
            Rc::new(Frame {
                overlap: Overlap::new(windows),
                live: live_sessions(windows),
                count: windows.len(),
            })
        });
        Rc::clone(frame)
    }
}
