//! What tasks that only yield cost those beside them, in their own queue and from another one. A queue of glommio's
//! runs until it is empty or its time is up, which is a tenth of a second by default: a task that yields in a loop
//! keeps its queue from ever being empty.

use std::cell::{Cell, RefCell};
use std::future::{Future, poll_fn};
use std::rc::Rc;
use std::task::{Poll, Waker};
use std::time::Instant;

use glommio::{Task, TaskQueueHandle, executor, spawn_local, spawn_local_into};

use super::{Latch, STARTS, cell, in_executor, other_queue, yields};
use crate::job::{BUDGET, Job, Took};
use crate::rows::{NOISE_YIELDS, Placed};

pub fn cells() -> Vec<Placed> {
    use Where::{Nowhere, Other, Same};
    vec![
        cell("Noise100Alone", "", |job| fixed_work(job, 100, Nowhere)),
        cell("Noise100Other", LONGER, |job| fixed_work(job, 100, Other)),
        cell("Noise100Same", "", |job| fixed_work(job, 100, Same)),
        cell("Noise1000Alone", "", |job| fixed_work(job, 1_000, Nowhere)),
        cell("Noise1000Other", LONGER, |job| fixed_work(job, 1_000, Other)),
        cell("Noise1000Same", "", |job| fixed_work(job, 1_000, Same)),
        cell("NoiseDriverAlone", "", |job| driven(job, 0, Nowhere)),
        cell("NoiseDriver100Other", "", |job| driven(job, 100, Other)),
        cell("NoiseDriver100Same", "", |job| driven(job, 100, Same)),
        cell("NoiseDriver1000Other", "", |job| driven(job, 1_000, Other)),
        cell("NoiseDriver1000Same", "", |job| driven(job, 1_000, Same)),
    ]
}

/// Two queues take turns of a tenth of a second, so it takes several turns to see what that costs.
const LONGER: &str = "five times the repetitions, or a second";
const MORE: usize = 5;

/// Where the noise is.
#[derive(Clone, Copy, PartialEq)]
enum Where {
    Nowhere,
    Same,
    Other,
}

impl Where {
    /// The queue to spawn into, if it is not the caller's own.
    fn queue(self) -> Option<TaskQueueHandle> {
        (self == Where::Other).then(other_queue)
    }
}

fn spawn(queue: Option<TaskQueueHandle>, future: impl Future<Output = ()> + 'static) -> Task<()> {
    match queue {
        Some(queue) => spawn_local_into(future, queue).expect(STARTS),
        None => spawn_local(future),
    }
}

/// A fixed amount of work, alone or beside one task that yields all the time.
fn fixed_work(job: &Job, width: usize, noise: Where) -> Took {
    let mut job = *job;
    if noise == Where::Other {
        job.n *= MORE;
    }
    in_executor(move || async move {
        let stop = Rc::new(Cell::new(false));
        let stopped = stop.clone();
        let yielder = (noise != Where::Nowhere).then(|| {
            spawn(noise.queue(), async move {
                while !stopped.get() {
                    executor().yield_now().await;
                }
            })
        });
        let took = job.timed_in_within_budget(|| yields::yield_tasks(width, NOISE_YIELDS)).await;
        stop.set(true);
        if let Some(yielder) = yielder {
            yielder.await;
        }
        took
    })
}

/// The noise of glommio's pull request 431: one task has to be polled n times, and every one of the others wakes it
/// before it yields.
fn driven(job: &Job, width: usize, noise: Where) -> Took {
    let job = *job;
    in_executor(move || async move {
        let stop = Rc::new(Cell::new(false));
        let driver = Rc::new(RefCell::new(None::<Waker>));
        let latch = Latch::new();
        latch.set(width);
        let queue = noise.queue();
        for _ in 0..width {
            let (stop, driver, latch) = (stop.clone(), driver.clone(), latch.clone());
            spawn(queue, async move {
                while !stop.get() {
                    if let Some(waker) = driver.borrow().as_ref() {
                        waker.wake_by_ref();
                    }
                    executor().yield_now().await;
                }
                latch.done();
            })
            .detach();
        }
        let took = spawn_local(drive(job.n, driver, width == 0)).await;
        stop.set(true);
        latch.wait().await;
        took
    })
}

async fn drive(n: usize, driver: Rc<RefCell<Option<Waker>>>, alone: bool) -> Took {
    let start = Instant::now();
    let mut polls = 0;
    poll_fn(|cx| {
        // Replaced each time, as in the original; only the first poll, and one without company, wakes itself.
        if driver.replace(Some(cx.waker().clone())).is_none() || alone {
            cx.waker().wake_by_ref();
        }
        polls += 1;
        // The clock is read at every poll while polls are few, because each may take a queue's whole time.
        let late = (polls % 64 == 0 || polls < 64) && start.elapsed() > BUDGET;
        if polls >= n || late { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    Took { elapsed: start.elapsed(), repetitions: polls }
}
