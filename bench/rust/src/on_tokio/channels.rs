//! Streams of messages in one direction.

use std::thread;

use tokio::sync::mpsc::{self, Receiver, Sender};
use tokio::sync::oneshot;
use tokio::task;

use super::{Kind, both, in_task, joined};
use crate::job::{Job, Took};
use crate::rivals::{CURRENT, MULTI};
use crate::rows::{CAPACITY, Placed, cell};

pub fn cells() -> Vec<Placed> {
    let mut all = Vec::new();
    all.extend(both("LocalChannelAlone", "mpsc", |kind, job| in_task(kind, job, alone)));
    // multi_thread has no way to say that two tasks shall have the same worker.
    all.push(cell("LocalChannel1", CURRENT, "mpsc", |job| in_task(Kind::Current, job, |n| stream(n, 1))));
    all.push(cell("LocalChannel1024", CURRENT, "mpsc", |job| in_task(Kind::Current, job, |n| stream(n, CAPACITY))));
    all.push(cell("SharedChannel1", CURRENT, "mpsc, two runtimes", |job| two_runtimes(job, 1)));
    all.push(cell("SharedChannel1024", CURRENT, "mpsc, two runtimes", |job| two_runtimes(job, CAPACITY)));
    let own_choice = "mpsc; tokio decides which worker runs the receiver, often the sender's own";
    all.push(cell("SharedChannel1", MULTI, own_choice, |job| in_task(Kind::Multi, job, |n| stream(n, 1))));
    all.push(cell("SharedChannel1024", MULTI, own_choice, |job| in_task(Kind::Multi, job, |n| stream(n, CAPACITY))));
    all
}

async fn alone(n: usize) {
    let (to, mut from) = mpsc::channel(CAPACITY);
    for i in 0..n {
        to.send(i).await.expect("we hold the receiver");
        from.recv().await;
    }
}

async fn stream(n: usize, capacity: usize) {
    let (to, from) = mpsc::channel(capacity);
    let receiver = task::spawn(receive(from));
    send(to, n).await;
    joined(receiver).await;
}

/// A worker of its own for each side: the receiver's runtime has a thread, the sender's is the main one.
fn two_runtimes(job: &Job, capacity: usize) -> Took {
    let (here, there) = (Kind::Current.start(1), Kind::Current.start(1));
    let receivers = there.handle().clone();
    let (stop, stopped) = oneshot::channel::<()>();
    thread::scope(|s| {
        s.spawn(move || there.block_on(stopped));
        let took = job.timed(|n| {
            let (to, from) = mpsc::channel(capacity);
            let receiver = receivers.spawn(receive(from));
            here.block_on(async {
                send(to, n).await;
                joined(receiver).await;
            });
        });
        // The scope ends when the receiver's thread does.
        drop(stop);
        took
    })
}

async fn send(to: Sender<usize>, n: usize) {
    for i in 0..n {
        to.send(i).await.expect("the receiver listens");
    }
}

async fn receive(mut from: Receiver<usize>) {
    while from.recv().await.is_some() {}
}
