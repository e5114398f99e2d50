//! State that belongs to one worker each, and messages to it. tokio has no sharding; a task for each shard that owns
//! the state and reads a channel is its idiom.

use std::thread;

use tokio::runtime::Handle;
use tokio::sync::mpsc::{self, Receiver};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::{Kind, joined};
use crate::job::{Job, Took};
use crate::rivals::{CURRENT, MULTI};
use crate::rows::{CAPACITY, Placed, cell};

pub fn cells() -> Vec<Placed> {
    vec![
        cell("Sharded", MULTI, "a task and an mpsc channel for each shard", |job| {
            let runtime = Kind::Multi.start(job.workers);
            let shards = vec![runtime.handle().clone(); shards(job)];
            job.timed(|n| runtime.block_on(joined(runtime.spawn(send(shards.clone(), n)))))
        }),
        cell("Sharded", CURRENT, "a runtime, a thread and an mpsc channel for each shard", thread_for_each),
    ]
}

/// Even with one worker there are two shards: a single one would be a local channel.
pub fn shards(job: &Job) -> usize {
    job.workers.max(2)
}

fn thread_for_each(job: &Job) -> Took {
    let runtimes: Vec<_> = (0..shards(job)).map(|_| Kind::Current.start(1)).collect();
    let handles: Vec<Handle> = runtimes.iter().map(|rt| rt.handle().clone()).collect();
    let mut stops = Vec::new();
    thread::scope(|s| {
        // The first shard lives on the main thread, with the sender.
        for runtime in &runtimes[1..] {
            let (stop, stopped) = oneshot::channel::<()>();
            stops.push(stop);
            s.spawn(move || runtime.block_on(stopped));
        }
        let took = job.timed(|n| runtimes[0].block_on(joined(runtimes[0].spawn(send(handles.clone(), n)))));
        stops.clear();
        took
    })
}

async fn send(to: Vec<Handle>, n: usize) {
    let (senders, owners): (Vec<_>, Vec<JoinHandle<usize>>) = to
        .iter()
        .map(|handle| {
            let (sender, receiver) = mpsc::channel(CAPACITY);
            (sender, handle.spawn(own(receiver)))
        })
        .unzip();
    for i in 0..n {
        senders[i % senders.len()].send(i).await.expect("the shard listens");
    }
    drop(senders);
    let mut handled = 0;
    for owner in owners {
        handled += joined(owner).await;
    }
    assert_eq!(handled, n, "every message is handled once");
}

async fn own(mut messages: Receiver<usize>) -> usize {
    let mut handled = 0;
    while messages.recv().await.is_some() {
        handled += 1;
    }
    handled
}
