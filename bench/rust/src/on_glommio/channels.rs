//! Streams of messages in one direction, within an executor and between two.

use std::sync::mpsc;
use std::thread;
use std::time::Instant;

use glommio::channels::{local_channel, shared_channel, spsc_queue};
use glommio::spawn_local;

use super::{cell, in_executor, in_task};
use crate::job::{Job, Took};
use crate::ring::Backoff;
use crate::rows::{CAPACITY, Placed};

pub fn cells() -> Vec<Placed> {
    let mut all = vec![
        cell("LocalChannelAlone", "local_channel", |job| in_task(job, alone)),
        cell("LocalChannel1", "local_channel", |job| in_task(job, |n| stream(n, 1))),
        cell("LocalChannel1024", "local_channel", |job| in_task(job, |n| stream(n, CAPACITY))),
        cell("SharedChannel1", "shared_channel, two executors", |job| two_executors(job, 1)),
        cell("SharedChannel1024", "shared_channel, two executors", |job| two_executors(job, CAPACITY)),
    ];
    all.extend(rings());
    all
}

async fn alone(n: usize) {
    let (to, from) = local_channel::new_bounded(CAPACITY);
    for i in 0..n {
        to.send(i).await.expect("we hold the receiver");
        from.recv().await;
    }
}

async fn stream(n: usize, capacity: usize) {
    let (to, from) = local_channel::new_bounded(capacity);
    let receiver = spawn_local(async move { while from.recv().await.is_some() {} });
    for i in 0..n {
        to.send(i).await.expect("the receiver listens");
    }
    drop(to);
    receiver.await;
}

/// The clock starts at the sender, once both sides are connected and warm, and stops when the receiver has everything.
fn two_executors(job: &Job, capacity: usize) -> Took {
    let job = *job;
    let (warm_to, warm_from) = shared_channel::new_bounded::<usize>(capacity);
    let (to, from) = shared_channel::new_bounded::<usize>(capacity);
    let (started, starts) = mpsc::channel();
    let sender = thread::spawn(move || {
        in_executor(move || async move {
            let (warm_to, to) = (warm_to.connect().await, to.connect().await);
            for i in 0..job.warm() {
                warm_to.send(i).await.expect("the receiver listens");
            }
            drop(warm_to);
            started.send(Instant::now()).expect("the main thread waits for us");
            for i in 0..job.n {
                to.send(i).await.expect("the receiver listens");
            }
        });
    });
    let end = in_executor(move || async move {
        let (warm_from, from) = (warm_from.connect().await, from.connect().await);
        while warm_from.recv().await.is_some() {}
        while from.recv().await.is_some() {}
        Instant::now()
    });
    sender.join().expect("the sender ends by itself");
    job.all(end - starts.recv().expect("the sender has started its clock"))
}

/// glommio's ring needs no executor.
fn rings() -> [Placed; 2] {
    [
        cell("SPSCAlone", "spsc_queue", |job| {
            let (producer, consumer) = spsc_queue::make(CAPACITY);
            job.timed(|n| {
                for i in 0..n {
                    push(&producer, i);
                    pop(&consumer);
                }
            })
        }),
        cell("SPSC1024", "spsc_queue, both sides spin", |job| {
            job.timed(|n| {
                let (producer, consumer) = spsc_queue::make(CAPACITY);
                thread::scope(|s| {
                    s.spawn(move || (0..n).for_each(|_| pop(&consumer)));
                    (0..n).for_each(|i| push(&producer, i));
                });
            })
        }),
    ]
}

fn push(producer: &spsc_queue::Producer<usize>, i: usize) {
    let mut backoff = Backoff::default();
    while producer.try_push(i).is_some() {
        backoff.spin();
    }
}

fn pop(consumer: &spsc_queue::Consumer<usize>) {
    let mut backoff = Backoff::default();
    while consumer.try_pop().is_none() {
        backoff.spin();
    }
}
