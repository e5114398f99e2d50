//! The semaphore among tasks of one worker, which for tokio is current_thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Semaphore;
use tokio::task;

use super::{Kind, both, in_task, joined};
use crate::rivals::CURRENT;
use crate::rows::{CROWD, Placed, cell};

pub fn cells() -> Vec<Placed> {
    let mut all = Vec::new();
    all.extend(both("SemaphoreFree", "", |kind, job| in_task(kind, job, free)));
    all.push(cell("SemaphoreContended", CURRENT, "", |job| in_task(Kind::Current, job, contended)));
    all.push(cell("SemaphoreSignal", CURRENT, "", |job| in_task(Kind::Current, job, signalled)));
    all
}

const OPEN: &str = "nobody closes the semaphore";

async fn free(n: usize) {
    let semaphore = Semaphore::new(4);
    for _ in 0..n {
        drop(semaphore.acquire().await.expect(OPEN));
    }
}

async fn contended(n: usize) {
    let semaphore = Arc::new(Semaphore::new(1));
    let crowd: Vec<_> = (0..CROWD)
        .map(|_| {
            let semaphore = semaphore.clone();
            task::spawn(async move {
                for _ in 0..n {
                    let permit = semaphore.acquire().await.expect(OPEN);
                    task::yield_now().await;
                    drop(permit);
                }
            })
        })
        .collect();
    for member in crowd {
        joined(member).await;
    }
}

/// The form of glommio's own benchmark: every acquire waits, and another task signals once it does.
async fn signalled(n: usize) {
    let semaphore = Arc::new(Semaphore::new(0));
    let waiting = Arc::new(AtomicBool::new(false));
    let (to, asked) = (semaphore.clone(), waiting.clone());
    let signals = task::spawn(async move {
        for _ in 0..n {
            while !asked.swap(false, Ordering::Relaxed) {
                task::yield_now().await;
            }
            to.add_permits(1);
        }
    });
    for _ in 0..n {
        // The other task sees this only after acquire has queued up: they share a thread.
        waiting.store(true, Ordering::Relaxed);
        semaphore.acquire().await.expect(OPEN).forget();
    }
    joined(signals).await;
}
