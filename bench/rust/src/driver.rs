//! Runs the rounds.

use std::panic::{self, AssertUnwindSafe};

use crate::job::Job;
use crate::options::Options;
use crate::rows::{Cell, Row};
use crate::watchdog::watch;

/// Measures every cell once a round. Rounds are the outer loop and the order of the rivals rotates, so that whatever
/// the machine does meanwhile happens to every rival alike. The first round is thrown away, unless
/// somebody else goes round by round and has us measure one at a time.
pub fn measure(rows: &mut [Row], options: &Options) {
    let first = if options.cold { 1 } else { 0 };
    for round in first..=options.rounds {
        for (at, row) in rows.iter_mut().enumerate() {
            let n = if options.short { row.quick } else { row.size };
            let job = Job { workers: options.workers, n };
            let (name, unit, ops) = (row.name, row.unit, row.ops);
            let count = row.cells.len();
            for turn in 0..count {
                let cell = &mut row.cells[(turn + at + round) % count];
                if cell.failed.is_some() {
                    continue;
                }
                let label = if round == 0 { "warm-up".to_owned() } else { format!("round {round}/{}", options.rounds) };
                match once(name, cell, &job, ops) {
                    Some(value) => {
                        if round > 0 {
                            cell.rounds.push(value);
                        }
                        eprintln!("{label}  {name:<22} {:<22} {value:>12.2} {unit}", cell.rival);
                    }
                    None => eprintln!("{label}  {name:<22} {:<22}       failed", cell.rival),
                }
            }
        }
    }
}

/// Returns nanoseconds an operation, or nothing where the rival panicked: one that cannot get its memory or its
/// threads loses its cell, and the others keep theirs.
fn once(name: &str, cell: &mut Cell, job: &Job, ops: usize) -> Option<f64> {
    let _watch = watch(format!("{name} with {}", cell.rival));
    match panic::catch_unwind(AssertUnwindSafe(|| (cell.run)(job))) {
        Ok(took) => {
            if took.repetitions < job.n {
                cell.early = Some((took.repetitions, job.n));
            }
            let operations = took.repetitions.max(1) * ops;
            Some(took.elapsed.as_nanos() as f64 / operations as f64)
        }
        Err(panicked) => {
            let why = panicked
                .downcast_ref::<String>()
                .map(String::as_str)
                .or_else(|| panicked.downcast_ref::<&str>().copied());
            cell.failed = Some(why.unwrap_or("a panic without words").to_owned());
            None
        }
    }
}
