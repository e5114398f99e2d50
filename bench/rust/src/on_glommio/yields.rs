//! Yields within a task queue.

use glommio::{executor, spawn_local, spawn_local_into};

use super::{Latch, STARTS, cell, in_executor, in_task, other_queue};
use crate::job::{Job, Took};
use crate::rows::{Placed, YIELDERS};

pub fn cells() -> Vec<Placed> {
    vec![
        cell("Yield1000", "yield_now", |job| in_task(job, |n| yield_tasks(YIELDERS, n))),
        cell("Queues1", "create_task_queue", |job| in_queues(job, 1)),
        cell("Queues10", "create_task_queue", |job| in_queues(job, 10)),
        cell("Queues100", "create_task_queue", |job| in_queues(job, 100)),
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

/// The same tasks, dealt to so many queues. Each queue yields within itself until its time is up.
fn in_queues(job: &Job, queues: usize) -> Took {
    let job = *job;
    in_executor(move || async move {
        let queues: Vec<_> = (0..queues).map(|_| other_queue()).collect();
        job.timed_in(|times| {
            let latch = Latch::new();
            latch.set(YIELDERS);
            for i in 0..YIELDERS {
                let latch = latch.clone();
                let task = async move {
                    for _ in 0..times {
                        executor().yield_now().await;
                    }
                    latch.done();
                };
                spawn_local_into(task, queues[i % queues.len()]).expect(STARTS).detach();
            }
            async move { latch.wait().await }
        })
        .await
    })
}
