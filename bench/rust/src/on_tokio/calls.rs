//! Single calls from one task.

use std::hint::black_box;

use tokio::task::{self, coop};

use super::{Kind, both, in_task, joined};
use crate::rivals::MULTI;
use crate::rows::{Placed, cell};

pub fn cells() -> Vec<Placed> {
    let mut all = Vec::new();
    all.extend(both("YieldIfNeeded", "consume_budget: yields at every 128th call", |kind, job| {
        in_task(kind, job, |n| async move {
            for _ in 0..n {
                task::consume_budget().await;
            }
        })
    }));
    all.extend(both("NeedYield", "has_budget_remaining", |kind, job| {
        in_task(kind, job, |n| async move {
            for _ in 0..n {
                if !coop::has_budget_remaining() {
                    task::yield_now().await;
                }
            }
        })
    }));
    // The first section gives the worker away and the task goes on without one, so that a second would cost next to
    // nothing. The yield puts the task back on a worker, as the end of lockstep's sections does.
    all.push(cell("BlockOn", MULTI, "block_in_place, then yield_now to be on a worker again", |job| {
        in_task(Kind::Multi, job, |n| async move {
            let f = black_box(ready_made as fn());
            for _ in 0..n {
                task::block_in_place(f);
                task::yield_now().await;
            }
        })
    }));
    all.push(cell("BlockOnAgain", MULTI, "block_in_place again and again", |job| {
        in_task(Kind::Multi, job, |n| async move {
            let f = black_box(ready_made as fn());
            for _ in 0..n {
                task::block_in_place(f);
            }
        })
    }));
    all.extend(both("BlockSpawned", "spawn_blocking", |kind, job| {
        in_task(kind, job, |n| async move {
            let f = black_box(ready_made as fn());
            for _ in 0..n {
                joined(task::spawn_blocking(f)).await;
            }
        })
    }));
    all
}

fn ready_made() {
    black_box(0);
}
