//! Measures tokio and glommio with the workloads of lockstep's own benchmarks, and prints a line of JSON for every row
//! and rival. The Go side, `bench/external`, builds and runs this program and reads those lines; README.md beside
//! Cargo.toml says what each row is and how far it may be compared.

mod driver;
mod job;
#[cfg(all(feature = "glommio", target_os = "linux"))]
mod on_glommio;
mod on_tokio;
mod options;
mod output;
mod ring;
mod rivals;
mod rows;
mod watchdog;

use std::process::ExitCode;

fn main() -> ExitCode {
    let options = match options::parse(std::env::args().skip(1)) {
        Ok(Some(options)) => options,
        Ok(None) => return ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("lockstep-rivals: {problem}");
            return ExitCode::from(2);
        }
    };
    let glommio = rivals::glommio_here();
    if let Err(why) = &glommio {
        // At once and not at the end: who waits for glommio's figures must not wait for nothing.
        eprintln!("lockstep-rivals: glommio is left out: {why}");
    }
    let mut rows = rows::all(glommio.is_ok());
    rows.retain(|row| options.only.is_match(row.name));
    if rows.is_empty() {
        eprintln!("lockstep-rivals: --only matches no row; --list names them");
        // A code of its own: for bench/external, an expression that only matches rows of Go's is no error.
        return ExitCode::from(3);
    }
    if options.list {
        output::list(&rows);
        return ExitCode::SUCCESS;
    }
    driver::measure(&mut rows, &options);
    output::remarks(&glommio);
    output::results(&rows);
    ExitCode::SUCCESS
}
