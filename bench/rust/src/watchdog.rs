//! Ends the process when a measurement does not come to an end: a runtime that hangs cannot be stopped from outside,
//! and a table without its row would hide it.

use std::process;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

/// Far above the budget of a row, and above what a loaded machine makes of a third of a second.
const LIMIT: Duration = Duration::from_secs(120);

/// Watches until it is dropped.
pub struct Watch(#[allow(dead_code, reason = "its drop is the message")] Sender<()>);

pub fn watch(what: String) -> Watch {
    let (alive, ended) = mpsc::channel::<()>();
    thread::spawn(move || {
        if ended.recv_timeout(LIMIT) == Err(RecvTimeoutError::Timeout) {
            eprintln!("lockstep-rivals: {what} did not finish within {LIMIT:?}");
            process::exit(1);
        }
    });
    Watch(alive)
}
