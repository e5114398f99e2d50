//! Yields within a task queue.

use glommio::{executor, spawn_local};

use super::{Latch, cell, in_task};
use crate::rows::{Placed, YIELDERS};

pub fn cells() -> Vec<Placed> {
    vec![
        cell("Yield1000", "yield_now", |job| in_task(job, |n| yield_tasks(YIELDERS, n))),
        cell("YieldLone", "yield_now", |job| in_task(job, |n| yield_tasks(1, n))),
    ]
}

/// Starts tasks that yield the given number of times each, and waits for them.
pub async fn yield_tasks(tasks: usize, times: usize) {
    let latch = Latch::new();
    latch.set(tasks);
    for _ in 0..tasks {
        let latch = latch.clone();
        spawn_local(async move {
            for _ in 0..times {
                executor().yield_now().await;
            }
            latch.done();
        })
        .detach();
    }
    latch.wait().await;
}
