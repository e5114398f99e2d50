//! Batches of 256 tasks, each with one section of work. glommio has nothing like block_in_place.

use std::future::Future;

use glommio::{executor, spawn_local};

use super::{Latch, cell, in_task};
use crate::on_tokio::look_up;
use crate::rows::{BATCH, Placed};

pub fn cells() -> Vec<Placed> {
    let mut all = Vec::new();
    all.extend(lookups::<1>("Sections1Plain", "Sections1Spawned"));
    all.extend(lookups::<1_000>("Sections1000Plain", "Sections1000Spawned"));
    all.extend(lookups::<10_000>("Sections10000Plain", "Sections10000Spawned"));
    all
}

fn lookups<const N: usize>(plain: &'static str, spawned: &'static str) -> [Placed; 2] {
    [
        cell(plain, "from a task; one executor", |job| in_task(job, |n| batches(n, || async { look_up(N) }))),
        cell(spawned, "spawn_blocking, one thread", |job| {
            in_task(job, |n| batches(n, || executor().spawn_blocking(|| look_up(N))))
        }),
    ]
}

async fn batches<F, Fut>(n: usize, section: F)
where
    F: Fn() -> Fut + Copy + 'static,
    Fut: Future<Output = ()> + 'static,
{
    let latch = Latch::new();
    for _ in 0..n {
        latch.set(BATCH);
        for _ in 0..BATCH {
            let latch = latch.clone();
            spawn_local(async move {
                section().await;
                latch.done();
            })
            .detach();
        }
        latch.wait().await;
    }
}
