//! The ring between two threads. tokio has none; rtrb stands for the plain rings of Rust.

use std::hint;
use std::thread;

use rtrb::{Consumer, Producer, RingBuffer};

use crate::rivals::RING;
use crate::rows::{CAPACITY, Placed, cell};

pub fn cells() -> Vec<Placed> {
    vec![
        cell("SPSCAlone", RING, "", |job| {
            let (mut producer, mut consumer) = RingBuffer::new(CAPACITY);
            job.timed(|n| {
                for i in 0..n {
                    push(&mut producer, i);
                    pop(&mut consumer);
                }
            })
        }),
        cell("SPSC1024", RING, "both sides spin", |job| {
            job.timed(|n| {
                let (mut producer, mut consumer) = RingBuffer::new(CAPACITY);
                thread::scope(|s| {
                    s.spawn(move || (0..n).for_each(|_| pop(&mut consumer)));
                    (0..n).for_each(|i| push(&mut producer, i));
                });
            })
        }),
    ]
}

fn push(producer: &mut Producer<usize>, i: usize) {
    let mut backoff = Backoff::default();
    while producer.push(i).is_err() {
        backoff.spin();
    }
}

fn pop(consumer: &mut Consumer<usize>) {
    let mut backoff = Backoff::default();
    while consumer.pop().is_err() {
        backoff.spin();
    }
}

/// Spins, and gives the core away when the other side does not seem to have one: on a machine that others use too, a
/// plain spin measures the kernel's time slice.
#[derive(Default)]
pub struct Backoff(u32);

impl Backoff {
    pub fn spin(&mut self) {
        self.0 += 1;
        if self.0.is_multiple_of(256) {
            thread::yield_now();
        } else {
            hint::spin_loop();
        }
    }
}
