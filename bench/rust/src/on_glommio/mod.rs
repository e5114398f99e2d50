//! A stand-in.
use crate::rows::Placed;
pub fn cells() -> Vec<Placed> {
    Vec::new()
}
