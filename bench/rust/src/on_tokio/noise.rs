//! What tasks that only yield cost those beside them. tokio has one run queue, so "other queue" and "same queue" are
//! the same measurement; both are taken, as for the go statement on the Go side.

use std::future::poll_fn;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Poll, Waker};
use std::time::Instant;

use tokio::task;

use super::{Kind, LATCH, both, joined, yields};
use crate::job::{BUDGET, Job, Took};
use crate::rows::{NOISE_YIELDS, Placed};

pub fn cells() -> Vec<Placed> {
    let one_queue = "one run queue: the same as in the same queue";
    let mut all = Vec::new();
    all.extend(both("Noise100Alone", "", |kind, job| fixed_work(kind, job, 100, false)));
    all.extend(both("Noise100Other", one_queue, |kind, job| fixed_work(kind, job, 100, true)));
    all.extend(both("Noise100Same", "", |kind, job| fixed_work(kind, job, 100, true)));
    all.extend(both("Noise1000Alone", "", |kind, job| fixed_work(kind, job, 1_000, false)));
    all.extend(both("Noise1000Other", one_queue, |kind, job| fixed_work(kind, job, 1_000, true)));
    all.extend(both("Noise1000Same", "", |kind, job| fixed_work(kind, job, 1_000, true)));
    all.extend(both("NoiseDriverAlone", "", |kind, job| driven(kind, job, 0)));
    all.extend(both("NoiseDriver100Other", one_queue, |kind, job| driven(kind, job, 100)));
    all.extend(both("NoiseDriver100Same", "", |kind, job| driven(kind, job, 100)));
    all.extend(both("NoiseDriver1000Other", one_queue, |kind, job| driven(kind, job, 1_000)));
    all.extend(both("NoiseDriver1000Same", "", |kind, job| driven(kind, job, 1_000)));
    all
}

static STOP: AtomicBool = AtomicBool::new(false);

/// A fixed amount of work, alone or beside one task that yields all the time.
fn fixed_work(kind: Kind, job: &Job, width: usize, noisy: bool) -> Took {
    let runtime = kind.start(job.workers);
    STOP.store(false, Ordering::Relaxed);
    let yielder = noisy.then(|| {
        runtime.spawn(async {
            while !STOP.load(Ordering::Relaxed) {
                task::yield_now().await;
            }
        })
    });
    let took = job.timed_within_budget(|| yields::yield_tasks(&runtime, width, NOISE_YIELDS));
    STOP.store(true, Ordering::Relaxed);
    if let Some(yielder) = yielder {
        runtime.block_on(joined(yielder));
    }
    took
}

/// Where the tasks that make noise find the driver.
static DRIVER: Mutex<Option<Waker>> = Mutex::new(None);

/// The noise of glommio's pull request 431: one task has to be polled n times, and every one of the others wakes it
/// before it yields.
fn driven(kind: Kind, job: &Job, width: usize) -> Took {
    let runtime = kind.start(job.workers);
    STOP.store(false, Ordering::Relaxed);
    *driver() = None;
    LATCH.set(width);
    for _ in 0..width {
        runtime.spawn(async {
            while !STOP.load(Ordering::Relaxed) {
                if let Some(waker) = driver().as_ref() {
                    waker.wake_by_ref();
                }
                task::yield_now().await;
            }
            LATCH.done();
        });
    }
    let took = runtime.block_on(joined(runtime.spawn(drive(job.n, width == 0))));
    STOP.store(true, Ordering::Relaxed);
    if width > 0 {
        runtime.block_on(LATCH.wait());
    }
    took
}

async fn drive(n: usize, alone: bool) -> Took {
    let start = Instant::now();
    let mut polls = 0;
    poll_fn(|cx| {
        // Replaced each time, as in the original; only the first poll, and one without company, wakes itself.
        if driver().replace(cx.waker().clone()).is_none() || alone {
            cx.waker().wake_by_ref();
        }
        polls += 1;
        if polls >= n || (polls % 64 == 0 && start.elapsed() > BUDGET) { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    Took { elapsed: start.elapsed(), repetitions: polls }
}

fn driver() -> std::sync::MutexGuard<'static, Option<Waker>> {
    DRIVER.lock().expect("nobody panics with the driver's waker in hand")
}
