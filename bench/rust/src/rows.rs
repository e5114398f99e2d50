//! The rows of the table. Names, units and what one operation is are those of `bench/workload` wherever the row exists
//! there, so that one table can show Go and Rust. Sizes are such that a measurement takes about a tenth of a second.

use crate::job::{Job, Took};
#[cfg(all(feature = "glommio", target_os = "linux"))]
use crate::on_glommio;
use crate::{on_tokio, ring};

/// One workload.
pub struct Row {
    pub name: &'static str,
    pub title: &'static str,
    pub unit: &'static str,
    /// Repetitions of a measured round, and of a short run.
    pub size: usize,
    pub quick: usize,
    /// Operations in one repetition; results are per operation.
    pub ops: usize,
    pub cells: Vec<Cell>,
}

/// One rival in one row.
pub struct Cell {
    pub rival: &'static str,
    /// What has to be known beside the number.
    pub note: &'static str,
    pub run: Body,
    pub rounds: Vec<f64>,
    pub early: Option<(usize, usize)>,
    pub failed: Option<String>,
}

/// Starts the rival, warms up, measures and ends the rival.
pub type Body = Box<dyn Fn(&Job) -> Took>;

/// A cell and the name of its row.
pub type Placed = (&'static str, Cell);

/// Makes a cell of the named row.
pub fn cell(
    row: &'static str,
    rival: &'static str,
    note: &'static str,
    run: impl Fn(&Job) -> Took + 'static,
) -> Placed {
    let run = Box::new(run);
    let (rounds, early, failed) = (Vec::new(), None, None);
    let cell = Cell { rival, note, run, rounds, early, failed };
    (row, cell)
}

pub const BATCH: usize = 256;
pub const TREE_DEPTH: usize = 16;
pub const YIELDERS: usize = 1_000;
pub const NOISE_YIELDS: usize = 200;
/// Tasks that want the same semaphore.
pub const CROWD: usize = 8;
/// What a channel or ring holds where nothing is said about it.
pub const CAPACITY: usize = 1_024;

/// Every row with its cells, glommio's only if it can run here.
pub fn all(with_glommio: bool) -> Vec<Row> {
    let mut rows = empty();
    let mut cells = on_tokio::cells();
    cells.extend(ring::cells());
    #[cfg(all(feature = "glommio", target_os = "linux"))]
    if with_glommio {
        cells.extend(on_glommio::cells());
    }
    #[cfg(not(all(feature = "glommio", target_os = "linux")))]
    let _ = with_glommio;
    for (name, cell) in cells {
        let row = rows.iter_mut().find(|row| row.name == name);
        row.expect("a cell names a row that exists").cells.push(cell);
    }
    rows.retain(|row| !row.cells.is_empty());
    rows
}

fn empty() -> Vec<Row> {
    let row = |name, title, unit, size, quick, ops| Row { name, title, unit, size, quick, ops, cells: Vec::new() };
    let noise = |name, title, width: usize| {
        let ops = width * NOISE_YIELDS;
        row(name, title, "ns/yield", 2_000_000 / ops, 1, ops)
    };
    vec![
        row("Outside1", "task from outside, one producer", "ns/task", 300_000, 2_000, 1),
        row("Outside8", "task from outside, eight producers", "ns/task", 300_000, 2_000, 1),
        row("OutsideOne", "task from outside and wait, one by one", "ns/task", 5_000, 50, 1),
        row("RoundTrip1", "task with a result from outside, one at a time", "ns/task", 5_000, 50, 1),
        row("RoundTrip64", "task with a result from outside, 64 in flight", "ns/task", 50_000, 200, 1),
        row("Batch256", "batch of 256, submit and wait", "ns/task", 1_000, 4, BATCH),
        row("Tree16", "task tree of depth 16", "ns/task", 2, 1, (1 << (TREE_DEPTH + 1)) - 1),
        row("InsideDrain", "task spawned inside the pool, 256 at a time", "ns/task", 2_000, 4, BATCH),
        row("InsideOne", "task spawned inside the pool and waited for, one by one", "ns/task", 300_000, 500, 1),
        row("SpawnWait", "task spawned inside the pool, handle waited for", "ns/task", 300_000, 500, 1),
        row("Yield1000", "yield among 1,000 tasks", "ns/yield", 2_000, 2, YIELDERS),
        row("YieldLone", "yield, alone in the pool", "ns/yield", 500_000, 1_000, 1),
        row("YieldIfNeeded", "YieldIfNeeded, not needed", "ns/call", 20_000_000, 10_000, 1),
        row("NeedYield", "NeedYield", "ns/call", 20_000_000, 10_000, 1),
        row("Queues1", "yield among 1,000 tasks in 1 task queues", "ns/yield", 500, 5, YIELDERS),
        row("Queues10", "yield among 1,000 tasks in 10 task queues", "ns/yield", 500, 5, YIELDERS),
        row("Queues100", "yield among 1,000 tasks in 100 task queues", "ns/yield", 500, 5, YIELDERS),
        row("BlockOn", "BlockInPlace, flag on, one by one", "ns/section", 10_000, 20, 1),
        noise("Noise100Alone", "100 tasks of 200 yields, alone", 100),
        noise("Noise100Other", "100 tasks of 200 yields, beside a yielder in another queue", 100),
        noise("Noise100Same", "100 tasks of 200 yields, beside a yielder in the same queue", 100),
        noise("Noise1000Alone", "1000 tasks of 200 yields, alone", 1_000),
        noise("Noise1000Other", "1000 tasks of 200 yields, beside a yielder in another queue", 1_000),
        noise("Noise1000Same", "1000 tasks of 200 yields, beside a yielder in the same queue", 1_000),
        row("BlockOnAgain", "section of a task that has left its worker already", "ns/section", 1_000_000, 200, 1),
        row("BlockSpawned", "section sent to a thread for blocking work, one by one", "ns/section", 10_000, 20, 1),
        row("Sections1Plain", "256 tasks, 1 look-up each", "ns/section", 1_000, 2, BATCH),
        row("Sections1Block", "256 tasks, 1 look-up each, in a blocking section", "ns/section", 50, 1, BATCH),
        row("Sections1Spawned", "256 tasks, 1 look-up each, sent to another thread", "ns/section", 100, 1, BATCH),
        row("Sections1000Plain", "256 tasks, 1,000 look-ups each", "ns/section", 400, 2, BATCH),
        row("Sections1000Block", "256 tasks, 1,000 look-ups each, in a blocking section", "ns/section", 50, 1, BATCH),
        row(
            "Sections1000Spawned",
            "256 tasks, 1,000 look-ups each, sent to another thread",
            "ns/section",
            100,
            1,
            BATCH,
        ),
        row("Sections10000Plain", "256 tasks, 10,000 look-ups each", "ns/section", 50, 1, BATCH),
        row("Sections10000Block", "256 tasks, 10,000 look-ups each, in a blocking section", "ns/section", 30, 1, BATCH),
        row(
            "Sections10000Spawned",
            "256 tasks, 10,000 look-ups each, sent to another thread",
            "ns/section",
            50,
            1,
            BATCH,
        ),
        row(
            "PingPongOutside",
            "round trip over two channels, the loop outside of any task",
            "ns/round trip",
            10_000,
            50,
            1,
        ),
        row("PingPongInside", "round trip over two channels, the loop in a task", "ns/round trip", 200_000, 200, 1),
        row(
            "AskOutside",
            "request over a channel, answer over a oneshot, the loop outside",
            "ns/round trip",
            10_000,
            50,
            1,
        ),
        row(
            "AskInside",
            "request over a channel, answer over a oneshot, the loop in a task",
            "ns/round trip",
            200_000,
            200,
            1,
        ),
        row("LocalChannelAlone", "message that one task sends and receives", "ns/message", 2_000_000, 1_000, 1),
        row("LocalChannel1", "message between two tasks of a worker, capacity 1", "ns/message", 500_000, 1_000, 1),
        row(
            "LocalChannel1024",
            "message between two tasks of a worker, capacity 1,024",
            "ns/message",
            2_000_000,
            1_000,
            1,
        ),
        row("SharedChannel1", "message between two workers, capacity 1", "ns/message", 10_000, 100, 1),
        row("SharedChannel1024", "message between two workers, capacity 1,024", "ns/message", 500_000, 2_000, 1),
        row("SemaphoreFree", "semaphore, acquire and release, nobody else there", "ns/acquire", 3_000_000, 1_000, 1),
        row(
            "SemaphoreContended",
            "semaphore that 8 tasks of a worker hold across a yield in turn",
            "ns/acquire",
            50_000,
            100,
            CROWD,
        ),
        row(
            "SemaphoreSignal",
            "semaphore without permits, each signalled by another task",
            "ns/acquire",
            500_000,
            500,
            1,
        ),
        row("SPSCAlone", "ring, push and pop in one thread", "ns/message", 20_000_000, 10_000, 1),
        row("SPSC1024", "ring of 1,024 between two threads", "ns/message", 5_000_000, 10_000, 1),
        row("Sharded", "message to one shard a worker in turn, handled there", "ns/message", 300_000, 1_000, 1),
        row("NoiseDriverAlone", "poll of a task that wakes itself", "ns/poll", 1_000_000, 200, 1),
        row(
            "NoiseDriver100Other",
            "the same, beside 100 yielders that wake it, in another queue",
            "ns/poll",
            20_000,
            50,
            1,
        ),
        row(
            "NoiseDriver100Same",
            "the same, beside 100 yielders that wake it, in the same queue",
            "ns/poll",
            20_000,
            50,
            1,
        ),
        row(
            "NoiseDriver1000Other",
            "the same, beside 1,000 yielders that wake it, in another queue",
            "ns/poll",
            2_000,
            10,
            1,
        ),
        row(
            "NoiseDriver1000Same",
            "the same, beside 1,000 yielders that wake it, in the same queue",
            "ns/poll",
            2_000,
            10,
            1,
        ),
        row("StartJoin1", "start and end of one worker", "ns/start", 200, 3, 1),
        row("StartJoin", "start and end of all workers", "ns/start", 200, 3, 1),
    ]
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn names_are_unique_and_every_row_is_measured() {
        let named = empty();
        let names: HashSet<&str> = named.iter().map(|row| row.name).collect();
        assert_eq!(names.len(), named.len());
        let glommio = crate::rivals::glommio_here().is_ok();
        let measured = all(glommio).len();
        // Task queues are what tokio does not have.
        assert_eq!(measured, if glommio { named.len() } else { named.len() - 3 });
    }

    #[test]
    fn every_body_runs_and_does_what_it_was_asked_for() {
        let glommio = crate::rivals::glommio_here().is_ok();
        for row in all(glommio) {
            for cell in &row.cells {
                let n = row.quick;
                let took = (cell.run)(&Job { workers: 2, n });
                assert!(took.repetitions > 0 && took.repetitions <= 5 * n, "{} {}", row.name, cell.rival);
            }
        }
    }
}
