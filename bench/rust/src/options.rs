//! The command line.

use std::str::FromStr;
use std::thread;

use regex::Regex;

pub const USAGE: &str = "\
usage: lockstep-rivals [--rounds N] [--only REGEX] [--workers N] [--cold] [--short] [--list]

  --rounds N    measured rounds (default 10), after one that is thrown away
  --only REGEX  only rows whose name matches
  --workers N   workers of tokio multi_thread, executors of glommio's pools (default: number of cores)
  --cold        without the round that is thrown away
  --short       every row once and tiny: proves that it runs, measures nothing
  --list        names the rows and stops";

/// What was asked for, checked.
pub struct Options {
    pub rounds: usize,
    pub only: Regex,
    pub workers: usize,
    pub cold: bool,
    pub short: bool,
    pub list: bool,
}

/// Reads the arguments. `None` says that help was asked for and printed.
pub fn parse(mut args: impl Iterator<Item = String>) -> Result<Option<Options>, String> {
    let mut options = Options {
        rounds: 10,
        only: Regex::new("").map_err(|e| e.to_string())?,
        workers: thread::available_parallelism().map_or(1, |n| n.get()),
        cold: false,
        short: false,
        list: false,
    };
    let mut rounds = None;
    while let Some(arg) = args.next() {
        // Both `--rounds 3` and `--rounds=3`.
        let (name, joined) = match arg.split_once('=') {
            Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
            None => (arg, None),
        };
        let mut value = || joined.clone().or_else(|| args.next()).ok_or(format!("{name} wants a value"));
        match name.as_str() {
            "--rounds" => rounds = Some(at_least_one(&name, &value()?)?),
            "--workers" => options.workers = at_least_one(&name, &value()?)?,
            "--only" => options.only = Regex::new(&value()?).map_err(|e| format!("--only: {e}"))?,
            "--cold" => options.cold = true,
            "--short" => options.short = true,
            "--list" => options.list = true,
            "-h" | "--help" => {
                println!("{USAGE}");
                return Ok(None);
            }
            _ => return Err(format!("unknown argument {name:?}\n{USAGE}")),
        }
    }
    if options.short {
        options.rounds = 1;
        options.cold = true;
    }
    options.rounds = rounds.unwrap_or(options.rounds);
    Ok(Some(options))
}

fn at_least_one(name: &str, value: &str) -> Result<usize, String> {
    match usize::from_str(value) {
        Ok(n) if n > 0 => Ok(n),
        _ => Err(format!("{name} {value}: a whole number of at least one is needed")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Option<Options>, String> {
        parse(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn both_forms_of_a_value_are_read() {
        let options = parsed("--rounds 3 --workers=4 --only=^Yield --short").unwrap();
        let options = options.expect("no help was asked for");
        assert_eq!((options.rounds, options.workers), (3, 4));
        assert!(options.short && options.only.is_match("Yield1000"));
    }

    #[test]
    fn a_short_run_has_one_round() {
        assert_eq!(parsed("--short").unwrap().map(|o| o.rounds), Some(1));
    }

    #[test]
    fn bad_lines_are_refused() {
        for line in ["--rounds", "--rounds 0", "--workers x", "--only (", "--fast", "Yield"] {
            assert!(parsed(line).is_err(), "{line}");
        }
    }
}
