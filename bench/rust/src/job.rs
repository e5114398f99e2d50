//! One measurement: what is asked of a body, and what it took.

use std::future::Future;
use std::time::{Duration, Instant};

/// How long a row may run that can stop early. Beside a noisy neighbour a fixed amount of work may never end.
pub const BUDGET: Duration = Duration::from_secs(1);

/// What a body is asked to do.
#[derive(Clone, Copy)]
pub struct Job {
    /// Workers of a runtime that has several.
    pub workers: usize,
    /// Repetitions to measure.
    pub n: usize,
}

/// What it took.
#[derive(Clone, Copy)]
pub struct Took {
    pub elapsed: Duration,
    /// Repetitions that took place; less than asked for where a row ran into its budget.
    pub repetitions: usize,
}

impl Job {
    /// The part that runs before the clock starts: a tenth, as on the Go side.
    pub fn warm(&self) -> usize {
        (self.n / 10).max(1)
    }

    /// Warms up and measures a body that runs on the calling thread.
    pub fn timed(&self, mut body: impl FnMut(usize)) -> Took {
        body(self.warm());
        let start = Instant::now();
        body(self.n);
        self.all(start.elapsed())
    }

    /// The same in a task.
    pub async fn timed_in<Fut: Future<Output = ()>>(self, body: impl Fn(usize) -> Fut) -> Took {
        body(self.warm()).await;
        let start = Instant::now();
        body(self.n).await;
        self.all(start.elapsed())
    }

    /// Measures a body that may end before n repetitions and says how many there were.
    pub fn timed_within_budget(&self, mut body: impl FnMut()) -> Took {
        body();
        let start = Instant::now();
        let mut repetitions = 0;
        while repetitions < self.n && start.elapsed() < BUDGET {
            body();
            repetitions += 1;
        }
        Took { elapsed: start.elapsed(), repetitions }
    }

    /// The same in a task.
    #[cfg(all(feature = "glommio", target_os = "linux"))]
    pub async fn timed_in_within_budget<Fut: Future<Output = ()>>(self, body: impl Fn() -> Fut) -> Took {
        body().await;
        let start = Instant::now();
        let mut repetitions = 0;
        while repetitions < self.n && start.elapsed() < BUDGET {
            body().await;
            repetitions += 1;
        }
        Took { elapsed: start.elapsed(), repetitions }
    }

    /// Everything that was asked for, in that time.
    pub fn all(&self, elapsed: Duration) -> Took {
        Took { elapsed, repetitions: self.n }
    }
}
