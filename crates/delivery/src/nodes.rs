//! Takes back what a dead node had claimed, long before its leases expire (docs/adr/0022).
//!
//! Every two seconds, each node increments its own number in the database. If a node's number does not change while
//! this node increments its own [`SILENCE`] times, this node treats it as dead: one transaction removes its row and
//! makes everything it held due again.
//!
//! - Clocks are never compared: we measure a node's silence in beats of the listening node. While the database is down
//!   nobody beats, so nobody counts as dead.
//! - A node that was only slow or paused continues under the same name: its next beat recreates its row. Its deliveries
//!   may arrive twice, as always when a lease expires; only the holder of the lease can record a result.
//! - A node beats as long as it is working ([`alive_while`]), so nobody takes over deliveries that a runner is still
//!   finishing. When the work is done, the node leaves and gives back everything it still holds.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use app::App;
use store::node::{self, Node};
use tokio::sync::Notify;
use tokio::task::spawn_blocking;

/// How often a node shows that it is alive.
pub const BEAT: Duration = Duration::from_secs(2);
/// A node that is silent for this many of our beats is dead: 6 to 8 seconds after its last beat.
pub const SILENCE: u32 = 3;

/// This node's view of the others.
pub struct Nodes {
    app: Arc<App>,
    own: String,
    heard: HashMap<String, Heard>,
    has_beaten: bool,
}

/// Runs the work of a node that claims deliveries, beats exactly as long as it runs, and then leaves. `pause` is the
/// time between two beats ([`BEAT`]). If the work panics, so does this function, and the node falls silent.
pub async fn alive_while<T, P: Future<Output = ()>>(
    nodes: Nodes,
    pause: impl Fn() -> P,
    work: impl Future<Output = T>,
) -> T {
    let nodes = Arc::new(Mutex::new(nodes));
    let done = Notify::new();
    let working = async {
        let result = work.await;
        done.notify_one();
        result
    };
    let beating = async {
        loop {
            if let Err(error) = blocking(&nodes, Nodes::beat).await {
                tracing::warn!(%error, "this node could not report that it is alive");
            }
            tokio::select! {
                () = done.notified() => return,
                () = pause() => {}
            }
        }
    };
    let (result, ()) = tokio::join!(working, beating);
    match blocking(&nodes, |nodes| nodes.leave()).await {
        Ok(0) => {}
        Ok(claims) => tracing::info!(claims, "this node gave back what it had claimed"),
        Err(error) => tracing::warn!(%error, "this node could not leave; others will take over what it had claimed"),
    }
    result
}

/// Queries the database on a blocking thread. A panic there counts as an error, so the next beat still comes.
async fn blocking(
    nodes: &Arc<Mutex<Nodes>>,
    ask: fn(&mut Nodes) -> Result<u64, store::Error>,
) -> Result<u64, store::Error> {
    let nodes = Arc::clone(nodes);
    let asking = spawn_blocking(move || ask(&mut nodes.lock().unwrap_or_else(PoisonError::into_inner)));
    asking.await.unwrap_or_else(|error| {
        Err(store::Error::Panicked {
            message: error.to_string(),
        })
    })
}

/// When we last heard a node.
struct Heard {
    beat: i64,
    /// How many of our beats it has been silent for.
    silent: u32,
}

impl Nodes {
    /// `own` is the name by which this node holds its leases.
    pub fn new(app: Arc<App>, own: String) -> Nodes {
        Nodes {
            app,
            own,
            heard: HashMap::new(),
            has_beaten: false,
        }
    }

    /// Beats once and takes over from nodes that have been silent too long. Returns how many claims are due again.
    /// Blocks.
    pub fn beat(&mut self) -> Result<u64, store::Error> {
        let own = self.own.clone();
        let (beat, all) = self
            .app
            .store
            .write_relaxed(move |tx| Ok::<_, store::Error>((node::beat(tx, &own)?, node::all(tx)?)))?;
        if self.has_beaten && beat == 1 {
            tracing::warn!("another node declared this one dead; its running deliveries may arrive twice");
        }
        self.has_beaten = true;
        let mut released = 0;
        for dead in self.silent(all) {
            let now = self.app.now();
            let name = dead.name.clone();
            let taken = self
                .app
                .store
                .write_relaxed(move |tx| node::take_over(tx, &dead, now))?;
            if let Some(claims) = taken {
                tracing::info!(node = name, claims, "took over from a node that no longer answers");
                released += claims;
            }
        }
        if released > 0 {
            self.app.bell.ring();
        }
        Ok(released)
    }

    /// Leaves, so that others do not have to wait until this node falls silent. Returns how many claims it gave back.
    /// Blocks.
    pub fn leave(&self) -> Result<u64, store::Error> {
        let (own, now) = (self.own.clone(), self.app.now());
        let released = self.app.store.write_relaxed(move |tx| node::leave(tx, &own, now))?;
        if released > 0 {
            self.app.store.announce()?;
        }
        Ok(released)
    }

    /// The nodes that have been silent too long.
    fn silent(&mut self, all: Vec<Node>) -> Vec<Node> {
        self.heard.retain(|name, _| all.iter().any(|node| node.name == *name));
        let is_silent = |node: &Node| {
            let now = Heard {
                beat: node.beat,
                silent: 0,
            };
            match self.heard.entry(node.name.clone()) {
                Entry::Occupied(mut heard) if heard.get().beat == node.beat => {
                    heard.get_mut().silent += 1;
                    heard.get().silent >= SILENCE
                }
                other => {
                    other.insert_entry(now);
                    false
                }
            }
        };
        all.into_iter()
            .filter(|node| node.name != self.own)
            .filter(is_silent)
            .collect()
    }
}
