//! Start and end of executors, with their threads and rings.

use glommio::{LocalExecutorPoolBuilder, PoolPlacement};

use super::{STARTS, cell, in_executor};
use crate::rows::Placed;

pub fn cells() -> Vec<Placed> {
    vec![
        cell("StartJoin1", "LocalExecutor", |job| job.timed_within_budget(|| in_executor(|| async {}))),
        cell("StartJoin", "LocalExecutorPoolBuilder", |job| {
            job.timed_within_budget(|| {
                let pool = LocalExecutorPoolBuilder::new(PoolPlacement::Unbound(job.workers));
                let ended = pool.on_all_shards(|| async {}).expect(STARTS).join_all();
                ended.into_iter().for_each(|end| end.expect(STARTS));
            })
        }),
    ]
}
