//! Tasks spawned from outside and from inside.

use std::collections::VecDeque;
use std::future::Future;
use std::thread;

use tokio::runtime::{Handle, Runtime};
use tokio::task::{self, LocalSet};

use super::{Kind, LATCH, both, in_task, joined, outside};
use crate::job::{Job, Took};
use crate::rivals::LOCAL_SET;
use crate::rows::{BATCH, Placed, TREE_DEPTH, cell};

pub fn cells() -> Vec<Placed> {
    let mut all = Vec::new();
    all.extend(both("Outside1", "", |kind, job| outside(kind, job, |rt, n| produce(rt, n, 1))));
    all.extend(both("Outside8", "", |kind, job| outside(kind, job, |rt, n| produce(rt, n, 8))));
    all.extend(both("OutsideOne", "block_on of the JoinHandle", |kind, job| outside(kind, job, one_by_one)));
    all.extend(both("RoundTrip1", "JoinHandle", |kind, job| outside(kind, job, |rt, n| round_trips(rt, n, 1))));
    all.extend(both("RoundTrip64", "JoinHandle", |kind, job| outside(kind, job, |rt, n| round_trips(rt, n, 64))));
    all.extend(both("Batch256", "", |kind, job| outside(kind, job, batches)));
    all.extend(both("Tree16", "", |kind, job| outside(kind, job, trees)));
    all.extend(both("InsideDrain", "", |kind, job| in_task(kind, job, |n| inside(n, BATCH))));
    all.extend(both("InsideOne", "", |kind, job| in_task(kind, job, |n| inside(n, 1))));
    all.extend(both("SpawnWait", "", |kind, job| in_task(kind, job, spawn_wait)));
    all.push(cell("InsideDrain", LOCAL_SET, "", |job| in_local_set(job, |n| inside_local(n, BATCH))));
    all.push(cell("InsideOne", LOCAL_SET, "", |job| in_local_set(job, |n| inside_local(n, 1))));
    all.push(cell("SpawnWait", LOCAL_SET, "", |job| in_local_set(job, spawn_wait_local)));
    all
}

/// current_thread runs nothing until block_on: there, the main thread is the worker.
fn produce(runtime: &Runtime, n: usize, producers: usize) {
    LATCH.set(n);
    if producers == 1 {
        submit(runtime.handle(), n);
    } else {
        thread::scope(|s| {
            for i in 0..producers {
                s.spawn(move || submit(runtime.handle(), n * (i + 1) / producers - n * i / producers));
            }
        });
    }
    runtime.block_on(LATCH.wait());
}

fn submit(to: &Handle, n: usize) {
    for _ in 0..n {
        to.spawn(async { LATCH.done() });
    }
}

fn one_by_one(runtime: &Runtime, n: usize) {
    for _ in 0..n {
        runtime.block_on(joined(runtime.spawn(async {})));
    }
}

/// Asks n times, and waits for the oldest result when too many are on their way.
fn round_trips(runtime: &Runtime, n: usize, in_flight: usize) {
    let mut pending = VecDeque::with_capacity(in_flight);
    let mut sum = 0;
    for i in 0..n {
        if pending.len() == in_flight
            && let Some(oldest) = pending.pop_front()
        {
            sum += runtime.block_on(joined(oldest));
        }
        pending.push_back(runtime.spawn(async move { i }));
    }
    for handle in pending {
        sum += runtime.block_on(joined(handle));
    }
    assert_eq!(sum, n * (n - 1) / 2, "a result is missing");
}

fn batches(runtime: &Runtime, n: usize) {
    for _ in 0..n {
        produce(runtime, BATCH, 1);
    }
}

fn trees(runtime: &Runtime, n: usize) {
    let _inside = runtime.enter();
    for _ in 0..n {
        LATCH.set(1 << TREE_DEPTH);
        node(TREE_DEPTH);
        runtime.block_on(LATCH.wait());
    }
}

/// A plain function, because a future that spawns its own type could not prove that it is Send.
fn node(depth: usize) {
    task::spawn(async move {
        if depth == 0 {
            LATCH.done();
            return;
        }
        node(depth - 1);
        node(depth - 1);
    });
}

async fn inside(times: usize, children: usize) {
    for _ in 0..times {
        LATCH.set(children);
        for _ in 0..children {
            task::spawn(async { LATCH.done() });
        }
        LATCH.wait().await;
    }
}

async fn spawn_wait(n: usize) {
    for _ in 0..n {
        joined(task::spawn(async {})).await;
    }
}

async fn inside_local(times: usize, children: usize) {
    for _ in 0..times {
        LATCH.set(children);
        for _ in 0..children {
            task::spawn_local(async { LATCH.done() });
        }
        LATCH.wait().await;
    }
}

async fn spawn_wait_local(n: usize) {
    for _ in 0..n {
        joined(task::spawn_local(async {})).await;
    }
}

fn in_local_set<F, Fut>(job: &Job, body: F) -> Took
where
    F: Fn(usize) -> Fut + 'static,
    Fut: Future<Output = ()> + 'static,
{
    let set = LocalSet::new();
    let task = set.spawn_local(job.timed_in(body));
    set.block_on(&Kind::Current.start(1), joined(task))
}
