//! Batches of 256 tasks, each with one section of work: what tokio's users measured block_in_place with.

use std::collections::HashMap;
use std::future::Future;
use std::hint::black_box;

use tokio::runtime::Runtime;
use tokio::task;

use super::{Kind, LATCH, both, joined, outside};
use crate::rivals::MULTI;
use crate::rows::{BATCH, Placed, cell};

pub fn cells() -> Vec<Placed> {
    let mut all = Vec::new();
    all.extend(lookups::<1>("Sections1Plain", "Sections1Block", "Sections1Spawned"));
    all.extend(lookups::<1_000>("Sections1000Plain", "Sections1000Block", "Sections1000Spawned"));
    all.extend(lookups::<10_000>("Sections10000Plain", "Sections10000Block", "Sections10000Spawned"));
    all
}

/// The work of a section: an empty map, looked up n times. black_box, so that the look-ups are not dropped; an empty
/// HashMap answers before it hashes, and so does an empty map of Go.
pub fn look_up(n: usize) {
    let map: HashMap<usize, usize> = HashMap::new();
    let mut found = 0;
    for i in 0..n {
        found += black_box(&map).get(&i).copied().unwrap_or(0);
    }
    black_box(found);
}

fn lookups<const N: usize>(plain: &'static str, block: &'static str, spawned: &'static str) -> Vec<Placed> {
    let mut all = Vec::new();
    all.extend(both(plain, "", |kind, job| outside(kind, job, |rt, n| batches(rt, n, || async { look_up(N) }))));
    // block_in_place panics on current_thread.
    all.push(cell(block, MULTI, "block_in_place", |job| {
        outside(Kind::Multi, job, |rt, n| batches(rt, n, || async { task::block_in_place(|| look_up(N)) }))
    }));
    all.extend(both(spawned, "spawn_blocking", |kind, job| {
        outside(kind, job, |rt, n| batches(rt, n, || async { joined(task::spawn_blocking(|| look_up(N))).await }))
    }));
    all
}

fn batches<Fut>(runtime: &Runtime, n: usize, section: fn() -> Fut)
where
    Fut: Future<Output = ()> + Send + 'static,
{
    for _ in 0..n {
        LATCH.set(BATCH);
        for _ in 0..BATCH {
            runtime.spawn(async move {
                section().await;
                LATCH.done();
            });
        }
        runtime.block_on(LATCH.wait());
    }
}
