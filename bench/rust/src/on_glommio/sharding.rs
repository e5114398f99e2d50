//! glommio's own sharding over a full mesh of shared channels.

use std::future::ready;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use glommio::channels::channel_mesh::{FullMesh, MeshBuilder};
use glommio::channels::sharding::{Handler, HandlerResult, Sharded};
use glommio::{LocalExecutorPoolBuilder, PoolPlacement};

use super::{STARTS, cell};
use crate::job::{Job, Took};
use crate::on_tokio::shards;
use crate::rows::{CAPACITY, Placed};

pub fn cells() -> Vec<Placed> {
    vec![cell("Sharded", "Sharded over a full mesh", sharded)]
}

#[derive(Clone, Default)]
struct Count(Arc<AtomicUsize>);

impl Handler<usize> for Count {
    /// A message of the own shard does not go through a channel.
    fn handle(&self, _message: usize, _from: usize, _here: usize) -> HandlerResult {
        self.0.fetch_add(1, Ordering::Relaxed);
        Box::pin(ready(()))
    }
}

/// The clock starts at the sender, once it is warm, and stops when every shard has ended, which closing waits for.
fn sharded(job: &Job) -> Took {
    let job = *job;
    let shards = shards(&job);
    let handled = Count::default();
    let count = handled.clone();
    let mesh: FullMesh<usize> = MeshBuilder::full(shards, CAPACITY);
    let pool = LocalExecutorPoolBuilder::new(PoolPlacement::Unbound(shards))
        .on_all_shards(move || async move {
            let mut sharded = Sharded::new(mesh, |message, shards| message % shards, count).await.expect(STARTS);
            let mut start = None;
            if sharded.shard_id() == 0 {
                for i in 0..job.warm() {
                    sharded.send(i).await.expect("the mesh is open");
                }
                start = Some(Instant::now());
                for i in 0..job.n {
                    sharded.send(i).await.expect("the mesh is open");
                }
            }
            sharded.close().await;
            start
        })
        .expect(STARTS);
    let starts = pool.join_all();
    let end = Instant::now();
    assert_eq!(handled.0.load(Ordering::Relaxed), job.warm() + job.n, "every message is handled once");
    let start = starts.into_iter().find_map(|start| start.expect("the shard ends by itself"));
    job.all(end - start.expect("the first shard starts the clock"))
}
