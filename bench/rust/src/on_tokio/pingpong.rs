//! Conversations of two tasks. The loop that measures is block_on's future on the main thread, or a task.

use tokio::sync::{mpsc, oneshot};
use tokio::task;

use super::{both, in_block_on, in_task, joined};
use crate::rows::Placed;

pub fn cells() -> Vec<Placed> {
    let mut all = Vec::new();
    all.extend(both("PingPongOutside", "block_on's future", |kind, job| in_block_on(kind, job, ping_pong)));
    all.extend(both("PingPongInside", "", |kind, job| in_task(kind, job, ping_pong)));
    all.extend(both("AskOutside", "block_on's future", |kind, job| in_block_on(kind, job, ask)));
    all.extend(both("AskInside", "", |kind, job| in_task(kind, job, ask)));
    all
}

async fn ping_pong(n: usize) {
    let (there, mut at_other) = mpsc::channel(1);
    let (back, mut here) = mpsc::channel(1);
    let other = task::spawn(async move {
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
    joined(other).await;
}

/// The actor of tokio's own tutorial: each request brings the sender for its answer.
async fn ask(n: usize) {
    let (requests, mut at_actor) = mpsc::channel::<oneshot::Sender<usize>>(1);
    let actor = task::spawn(async move {
        let mut answers = 0;
        while let Some(answer) = at_actor.recv().await {
            answers += 1;
            // An error says that nobody waits any more, which ends the measurement anyway.
            let _ = answer.send(answers);
        }
    });
    for _ in 0..n {
        let (answer, answered) = oneshot::channel();
        requests.send(answer).await.expect("the actor listens");
        answered.await.expect("the actor answers");
    }
    drop(requests);
    joined(actor).await;
}
