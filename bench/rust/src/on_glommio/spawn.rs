//! Tasks spawned from inside, in the same queue and into another one. spawn_local runs the new task at once, up to its
//! first wait, inside the call; spawn_local_into has to queue it.

use std::future::Future;
use std::rc::Rc;

use glommio::{TaskQueueHandle, spawn_local, spawn_local_into};

use super::{Latch, STARTS, cell, in_task, other_queue};
use crate::job::{Job, Took};
use crate::rivals::GLOMMIO_QUEUE;
use crate::rows::{self, BATCH, Placed, TREE_DEPTH};

pub fn cells() -> Vec<Placed> {
    let at_once = "spawn_local runs the task at once, inside the call";
    let queued = "spawn_local_into another queue than the caller's";
    vec![
        cell("Tree16", "as InsideDrain, from a task", |job| in_task(job, trees)),
        cell("InsideDrain", at_once, |job| in_task(job, |n| inside(n, BATCH))),
        cell("InsideOne", at_once, |job| in_task(job, |n| inside(n, 1))),
        cell("SpawnWait", at_once, |job| in_task(job, spawn_wait)),
        rows::cell("InsideDrain", GLOMMIO_QUEUE, queued, |job| with_queue(job, |n, q| inside_queue(n, BATCH, q))),
        rows::cell("InsideOne", GLOMMIO_QUEUE, queued, |job| with_queue(job, |n, q| inside_queue(n, 1, q))),
        rows::cell("SpawnWait", GLOMMIO_QUEUE, queued, |job| with_queue(job, spawn_wait_queue)),
    ]
}

/// Makes the queue once, before the clock starts.
fn with_queue<F, Fut>(job: &Job, body: F) -> Took
where
    F: Fn(usize, TaskQueueHandle) -> Fut + Send + 'static,
    Fut: Future<Output = ()> + 'static,
{
    let job = *job;
    super::in_executor(move || async move {
        let queue = other_queue();
        job.timed_in(|n| body(n, queue)).await
    })
}

async fn inside(times: usize, children: usize) {
    let latch = Latch::new();
    for _ in 0..times {
        latch.set(children);
        for _ in 0..children {
            let latch = latch.clone();
            spawn_local(async move { latch.done() }).detach();
        }
        latch.wait().await;
    }
}

async fn inside_queue(times: usize, children: usize, queue: TaskQueueHandle) {
    let latch = Latch::new();
    for _ in 0..times {
        latch.set(children);
        for _ in 0..children {
            let latch = latch.clone();
            spawn_local_into(async move { latch.done() }, queue).expect(STARTS).detach();
        }
        latch.wait().await;
    }
}

async fn spawn_wait(n: usize) {
    for _ in 0..n {
        spawn_local(async {}).await;
    }
}

async fn spawn_wait_queue(n: usize, queue: TaskQueueHandle) {
    for _ in 0..n {
        spawn_local_into(async {}, queue).expect(STARTS).await;
    }
}

async fn trees(n: usize) {
    let latch = Latch::new();
    for _ in 0..n {
        latch.set(1 << TREE_DEPTH);
        node(latch.clone(), TREE_DEPTH);
        latch.wait().await;
    }
}

fn node(latch: Rc<Latch>, depth: usize) {
    spawn_local(async move {
        if depth == 0 {
            latch.done();
            return;
        }
        node(latch.clone(), depth - 1);
        node(latch, depth - 1);
    })
    .detach();
}
