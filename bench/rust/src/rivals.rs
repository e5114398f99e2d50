//! Who is measured.

pub const CURRENT: &str = "tokio current_thread";
pub const MULTI: &str = "tokio multi_thread";
pub const LOCAL_SET: &str = "tokio LocalSet";
pub const RING: &str = "rtrb";
#[cfg(all(feature = "glommio", target_os = "linux"))]
pub const GLOMMIO_QUEUE: &str = "glommio queue";
pub const GLOMMIO: &str = "glommio";

/// What every rival is and how it is used, in the order of the columns.
pub fn described(glommio: &Result<(), String>) -> Vec<(&'static str, String)> {
    let mut all = vec![
        (CURRENT, "tokio 1.54.1, Builder::new_current_thread, no I/O or time driver".to_owned()),
        (MULTI, "tokio 1.54.1, Builder::new_multi_thread with worker_threads, no I/O or time driver".to_owned()),
        (LOCAL_SET, "tokio 1.54.1, a LocalSet on current_thread".to_owned()),
        (RING, "rtrb 0.4.1, a plain ring between two threads".to_owned()),
    ];
    match glommio {
        Ok(()) => {
            all.push((GLOMMIO, "glommio 0.9.0, LocalExecutor on io_uring, not pinned, default settings".to_owned()));
            #[cfg(all(feature = "glommio", target_os = "linux"))]
            all.push((
                GLOMMIO_QUEUE,
                "the same, every task through a task queue of its own: spawn_local_into".to_owned(),
            ));
        }
        Err(why) => all.push((GLOMMIO, format!("left out: {why}"))),
    }
    all
}

/// Says whether glommio can run here, and if not, why.
#[cfg(not(all(feature = "glommio", target_os = "linux")))]
pub fn glommio_here() -> Result<(), String> {
    Err(if cfg!(target_os = "linux") {
        "built without the feature `glommio`".to_owned()
    } else {
        "it exists for Linux only".to_owned()
    })
}

/// Says whether glommio can run here, and if not, why. Containers often forbid io_uring, and glommio wants 512 KiB of
/// locked memory for each executor.
#[cfg(all(feature = "glommio", target_os = "linux"))]
pub fn glommio_here() -> Result<(), String> {
    // On a thread of its own, because glommio reports some of what can be wrong as an error and some as a panic.
    let tried = std::thread::spawn(|| {
        glommio::LocalExecutorBuilder::new(glommio::Placement::Unbound)
            .make()
            .map(|executor| executor.run(async {}))
            .map_err(|e| e.to_string())
    });
    match tried.join() {
        Ok(Ok(())) => Ok(()),
        Ok(Err(why)) => Err(format!("no io_uring that it can use: {why}")),
        Err(_) => Err("no io_uring that it can use: it panicked at its start".to_owned()),
    }
}
