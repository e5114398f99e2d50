//! Start and end of a runtime.

use super::{Kind, both, joined};
use crate::job::{Job, Took};
use crate::rivals::MULTI;
use crate::rows::{Placed, cell};

pub fn cells() -> Vec<Placed> {
    let mut all: Vec<Placed> = both("StartJoin1", "", |kind, job| starts(kind, job, 1)).into();
    all.push(cell("StartJoin", MULTI, "", |job| starts(Kind::Multi, job, job.workers)));
    all
}

/// Runs one task, so that the start is not merely prepared. Dropping a runtime waits for its workers; current_thread
/// has none, so its start is little more than an allocation.
fn starts(kind: Kind, job: &Job, workers: usize) -> Took {
    job.timed_within_budget(|| {
        let runtime = kind.start(workers);
        runtime.block_on(joined(runtime.spawn(async {})));
    })
}
