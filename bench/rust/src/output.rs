//! The lines on standard output. `bench/external` reads them, so a change here is a change there.

use serde_json::{Value, json};

use crate::rivals;
use crate::rows::{Cell, Row};

/// Prints a line for every row and rival.
pub fn results(rows: &[Row]) {
    for row in rows {
        for cell in &row.cells {
            let rounds: Vec<f64> = cell.rounds.iter().map(|v| rounded(*v)).collect();
            print_line(&[
                ("workload", json!(row.name)),
                ("title", json!(row.title)),
                ("rival", json!(cell.rival)),
                ("unit", json!(row.unit)),
                ("value", json!(median(&cell.rounds).map(rounded))),
                ("rounds", json!(rounds)),
                ("note", json!(note(cell))),
            ]);
        }
    }
}

/// Prints a line without a workload for every rival: what it is, or why it was left out.
pub fn remarks(glommio: &Result<(), String>) {
    for (rival, note) in rivals::described(glommio) {
        print_line(&[("workload", json!("")), ("rival", json!(rival)), ("note", json!(note))]);
    }
}

/// Keeps the order of the fields, which a map of serde_json's does not: people read these lines too.
fn print_line(fields: &[(&str, Value)]) {
    let fields: Vec<String> = fields.iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
    println!("{{{}}}", fields.join(","));
}

/// Names the rows and who takes part, for --list.
pub fn list(rows: &[Row]) {
    for row in rows {
        let rivals: Vec<&str> = row.cells.iter().map(|cell| cell.rival).collect();
        println!("{:<22} {:<15} {} ({})", row.name, row.unit, row.title, rivals.join(", "));
    }
}

fn note(cell: &Cell) -> String {
    let mut notes = Vec::new();
    if !cell.note.is_empty() {
        notes.push(cell.note.to_owned());
    }
    if let Some((done, of)) = cell.early {
        notes.push(format!("stopped after {done} of {of} repetitions"));
    }
    if let Some(why) = &cell.failed {
        notes.push(format!("failed: {why}"));
    }
    notes.join("; ")
}

/// A thousandth of a nanosecond is below what any of this can tell.
fn rounded(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}

fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        n if n % 2 == 1 => Some(sorted[middle]),
        _ => Some((sorted[middle - 1] + sorted[middle]) / 2.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[5.0, 1.0, 3.0]), Some(3.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
    }
}
