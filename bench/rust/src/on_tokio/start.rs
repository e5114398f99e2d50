//! Start and end of a runtime.

use super::{Kind, both};
use crate::job::{Job, Took};
use crate::rivals::MULTI;
use crate::rows::{Placed, cell};

pub fn cells() -> Vec<Placed> {
    let mut all: Vec<Placed> = both("StartJoin1", "", |kind, job| starts(kind, job, 1)).into();
    all.push(cell("StartJoin", MULTI, "", |job| starts(Kind::Multi, job, job.workers)));
    all
}

/// Dropping a runtime waits for its workers. current_thread has none: its start is an allocation.
fn starts(kind: Kind, job: &Job, workers: usize) -> Took {
    job.timed(|n| {
        for _ in 0..n {
            drop(kind.start(workers));
        }
    })
}
