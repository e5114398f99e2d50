//! The semaphore among tasks of one executor.

use std::cell::Cell;
use std::rc::Rc;

use glommio::sync::Semaphore;
use glommio::{executor, spawn_local};

use super::{cell, in_task};
use crate::rows::{CROWD, Placed};

pub fn cells() -> Vec<Placed> {
    vec![
        cell("SemaphoreFree", "", |job| in_task(job, free)),
        cell("SemaphoreContended", "", |job| in_task(job, contended)),
        cell("SemaphoreSignal", "", |job| in_task(job, signalled)),
    ]
}

const OPEN: &str = "nobody closes the semaphore";

async fn free(n: usize) {
    let semaphore = Semaphore::new(4);
    for _ in 0..n {
        drop(semaphore.acquire_permit(1).await.expect(OPEN));
    }
}

async fn contended(n: usize) {
    let semaphore = Rc::new(Semaphore::new(1));
    let crowd: Vec<_> = (0..CROWD)
        .map(|_| {
            let semaphore = semaphore.clone();
            spawn_local(async move {
                for _ in 0..n {
                    let permit = semaphore.acquire_permit(1).await.expect(OPEN);
                    executor().yield_now().await;
                    drop(permit);
                }
            })
        })
        .collect();
    for member in crowd {
        member.await;
    }
}

/// Every acquire waits, and another task signals once it does.
async fn signalled(n: usize) {
    let semaphore = Rc::new(Semaphore::new(0));
    let waiting = Rc::new(Cell::new(false));
    let (to, asked) = (semaphore.clone(), waiting.clone());
    let signals = spawn_local(async move {
        for _ in 0..n {
            while !asked.replace(false) {
                executor().yield_now().await;
            }
            to.signal(1);
        }
    });
    for _ in 0..n {
        waiting.set(true);
        semaphore.acquire(1).await.expect(OPEN);
    }
    signals.await;
}
