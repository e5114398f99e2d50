//! Yields.

use tokio::runtime::Runtime;
use tokio::task;

use super::{LATCH, both, outside};
use crate::rows::{Placed, YIELDERS};

pub fn cells() -> Vec<Placed> {
    let mut all = Vec::new();
    all.extend(both("Yield1000", "", |kind, job| outside(kind, job, |rt, n| yield_tasks(rt, YIELDERS, n))));
    all.extend(both("YieldLone", "", |kind, job| outside(kind, job, |rt, n| yield_tasks(rt, 1, n))));
    all
}

/// Starts tasks that yield the given number of times each, and waits for them.
pub fn yield_tasks(runtime: &Runtime, tasks: usize, times: usize) {
    LATCH.set(tasks);
    for _ in 0..tasks {
        runtime.spawn(async move {
            for _ in 0..times {
                task::yield_now().await;
            }
            LATCH.done();
        });
    }
    runtime.block_on(LATCH.wait());
}
