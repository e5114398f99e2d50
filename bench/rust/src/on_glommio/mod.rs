//! glommio's bodies, one file for every family of rows. Rows that spawn from outside have none: an executor of
//! glommio's is one thread that nobody else can give a task to.

mod calls;
mod channels;
mod noise;
mod pingpong;
mod sections;
mod semaphore;
mod sharding;
mod spawn;
mod start;
mod yields;

use std::cell::{Cell, RefCell};
use std::future::{Future, poll_fn};
use std::rc::Rc;
use std::task::{Poll, Waker};

use glommio::{Latency, LocalExecutorBuilder, Placement, Shares, TaskQueueHandle};

use crate::job::{Job, Took};
use crate::rivals::GLOMMIO;
use crate::rows::{self, Placed};

pub fn cells() -> Vec<Placed> {
    let families: [fn() -> Vec<Placed>; 10] = [
        spawn::cells,
        yields::cells,
        calls::cells,
        sections::cells,
        pingpong::cells,
        channels::cells,
        semaphore::cells,
        noise::cells,
        sharding::cells,
        start::cells,
    ];
    families.into_iter().flat_map(|family| family()).collect()
}

const STARTS: &str = "glommio started when the program did";

fn cell(row: &'static str, note: &'static str, run: impl Fn(&Job) -> Took + 'static) -> Placed {
    rows::cell(row, GLOMMIO, note, run)
}

/// Runs a body as the first task of an executor on a thread of its own. The executor is not pinned: the others are not
/// either, and on a machine that others use a pinned thread waits for its core.
fn in_executor<F, Fut, T>(body: F) -> T
where
    F: FnOnce() -> Fut + Send + 'static,
    Fut: Future<Output = T> + 'static,
    T: Send + 'static,
{
    let executor = LocalExecutorBuilder::new(Placement::Unbound).spawn(body).expect(STARTS);
    executor.join().expect(STARTS)
}

/// Measures a body that is a task.
fn in_task<F, Fut>(job: &Job, body: F) -> Took
where
    F: Fn(usize) -> Fut + Send + 'static,
    Fut: Future<Output = ()> + 'static,
{
    let job = *job;
    in_executor(move || job.timed_in(body))
}

/// Makes a second queue beside the default one, with as many shares.
fn other_queue() -> TaskQueueHandle {
    glommio::executor().create_task_queue(Shares::default(), Latency::NotImportant, "other")
}

/// What tasks count down and one task waits for. All of them run on one thread.
#[derive(Default)]
struct Latch {
    left: Cell<usize>,
    waiter: RefCell<Option<Waker>>,
}

impl Latch {
    fn new() -> Rc<Self> {
        Rc::default()
    }

    fn set(&self, n: usize) {
        self.left.set(n);
    }

    fn done(&self) {
        self.left.set(self.left.get() - 1);
        if self.left.get() == 0
            && let Some(waiter) = self.waiter.take()
        {
            waiter.wake();
        }
    }

    async fn wait(&self) {
        poll_fn(|cx| {
            if self.left.get() == 0 {
                return Poll::Ready(());
            }
            *self.waiter.borrow_mut() = Some(cx.waker().clone());
            Poll::Pending
        })
        .await;
    }
}
