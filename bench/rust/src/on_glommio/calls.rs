//! Single calls from one task.

use std::hint::black_box;

use glommio::{executor, yield_if_needed};

use super::{cell, in_task};
use crate::rows::Placed;

pub fn cells() -> Vec<Placed> {
    vec![
        cell("YieldIfNeeded", "yield_if_needed", |job| {
            in_task(job, |n| async move {
                for _ in 0..n {
                    yield_if_needed().await;
                }
            })
        }),
        cell("NeedYield", "need_preempt", |job| {
            in_task(job, |n| async move {
                for _ in 0..n {
                    if executor().need_preempt() {
                        executor().yield_now().await;
                    }
                }
            })
        }),
        cell("BlockSpawned", "spawn_blocking, one thread", |job| {
            in_task(job, |n| async move {
                let f = black_box(ready_made as fn());
                for _ in 0..n {
                    executor().spawn_blocking(f).await;
                }
            })
        }),
    ]
}

fn ready_made() {
    black_box(0);
}
