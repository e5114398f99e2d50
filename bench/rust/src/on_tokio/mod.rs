//! tokio's bodies, one file for every family of rows.

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

#[cfg(all(feature = "glommio", target_os = "linux"))]
pub use {sections::look_up, sharding::shards};

use std::future::Future;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::runtime::{Builder, Runtime};
use tokio::sync::Notify;
use tokio::task::JoinHandle;

use crate::job::{Job, Took};
use crate::rivals::{CURRENT, MULTI};
use crate::rows::{Placed, cell};

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

/// Which of tokio's runtimes.
#[derive(Clone, Copy)]
enum Kind {
    Current,
    Multi,
}

impl Kind {
    /// Starts a runtime without drivers: no row does I/O, and parking on epoll would cost tokio a little more.
    fn start(self, workers: usize) -> Runtime {
        let built = match self {
            Kind::Current => Builder::new_current_thread().build(),
            Kind::Multi => Builder::new_multi_thread().worker_threads(workers).build(),
        };
        built.expect("tokio starts")
    }
}

/// The row's cells of both runtimes.
fn both(row: &'static str, note: &'static str, run: fn(Kind, &Job) -> Took) -> [Placed; 2] {
    [
        cell(row, CURRENT, note, move |job| run(Kind::Current, job)),
        cell(row, MULTI, note, move |job| run(Kind::Multi, job)),
    ]
}

/// Measures a body that runs on the main thread, outside of the runtime.
fn outside(kind: Kind, job: &Job, body: impl Fn(&Runtime, usize)) -> Took {
    let runtime = kind.start(job.workers);
    job.timed(|n| body(&runtime, n))
}

/// Measures a body that is block_on's future, on the main thread.
fn in_block_on<Fut: Future<Output = ()>>(kind: Kind, job: &Job, body: impl Fn(usize) -> Fut) -> Took {
    kind.start(job.workers).block_on(job.timed_in(body))
}

/// Measures a body that is a task.
fn in_task<F, Fut>(kind: Kind, job: &Job, body: F) -> Took
where
    F: Fn(usize) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = ()> + Send + 'static,
{
    let runtime = kind.start(job.workers);
    let task = runtime.spawn(job.timed_in(body));
    runtime.block_on(joined(task))
}

/// Waits for a task of ours; they do not panic and nobody cancels them.
async fn joined<T>(task: JoinHandle<T>) -> T {
    task.await.expect("the task ends by itself")
}

/// What tasks count down and one task or block_on waits for, as the Go side does with a sync.WaitGroup.
struct Latch {
    left: AtomicUsize,
    all: Notify,
}

/// One for the process: measurements follow each other, and a task that needs no reference count of its own to reach
/// its latch is as cheap as Go's one ready-made function value.
static LATCH: Latch = Latch { left: AtomicUsize::new(0), all: Notify::const_new() };

impl Latch {
    fn set(&self, n: usize) {
        self.left.store(n, Ordering::Relaxed);
    }

    fn done(&self) {
        if self.left.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.all.notify_one();
        }
    }

    /// Cannot miss the last `done`, because Notify keeps its permit until somebody takes it.
    async fn wait(&self) {
        self.all.notified().await;
    }
}
