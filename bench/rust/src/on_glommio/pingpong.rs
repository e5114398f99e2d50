//! Conversations of two tasks. Even the future given to LocalExecutor::run is a task of the executor, so both rows
//! should be alike. glommio has no oneshot; the Ask rows are tokio's alone.

use glommio::channels::local_channel;
use glommio::{LocalExecutorBuilder, Placement, spawn_local};

use super::{STARTS, cell, in_task};
use crate::rows::Placed;

pub fn cells() -> Vec<Placed> {
    vec![
        cell("PingPongOutside", "the future of LocalExecutor::run", |job| {
            let executor = LocalExecutorBuilder::new(Placement::Unbound).make().expect(STARTS);
            executor.run(job.timed_in(ping_pong))
        }),
        cell("PingPongInside", "local_channel", |job| in_task(job, |n| async move { spawn_local(ping_pong(n)).await })),
    ]
}

async fn ping_pong(n: usize) {
    let (there, at_other) = local_channel::new_bounded(1);
    let (back, here) = local_channel::new_bounded(1);
    let other = spawn_local(async move {
        while let Some(v) = at_other.recv().await {
            if back.send(v).await.is_err() {
                return;
            }
        }
    });
    for i in 0..n {
        there.send(i).await.expect("the other task listens");
        here.recv().await;
    }
    drop(there);
    other.await;
}
