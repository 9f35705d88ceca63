//! Takes over the claims of a dead node, long before its leases expire (docs/adr/0022).
//!
//! Every two seconds, each node increments its own number in the database. If a node's number does not change while
//! this node increments its own [`SILENCE`] times, this node treats it as dead: one transaction removes its row and
//! makes all its claims due again.
//!
//! - Clocks are never compared. We measure a node's silence in beats of the listening node. While the database is down,
//!   no node beats, so none counts as dead.
//! - A node that was only slow or paused continues under the same name: its next beat recreates its row. Its deliveries
//!   may arrive twice, as always when a lease expires, but only the holder of the lease can record a result.
//! - A node beats as long as it is working ([`alive_while`]), so no other node takes over deliveries that a runner is
//!   still finishing. When the work is done, the node leaves and releases its remaining claims.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use app::App;
use store::node::{self, Node};
use tokio::sync::Notify;
use tokio::task::spawn_blocking;

/// Time between two beats of a node.
pub const BEAT: Duration = Duration::from_secs(2);
/// A node is dead after this many of our beats without one of its own, which is 6 to 8 seconds after its last beat.
pub const SILENCE: u32 = 3;

/// This node's view of the other nodes.
pub struct Nodes {
    app: Arc<App>,
    own: String,
    heard: HashMap<String, Heard>,
    has_beaten: bool,
}

/// Runs the work of a node that claims deliveries. The node beats as long as the work runs, and then leaves. `pause` is
/// the time between two beats ([`BEAT`]). If the work panics, so does this function, and the beats stop.
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
                tracing::warn!(%error, "this node could not report that it is alive; we will try again");
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
        Ok(claims) => tracing::info!(claims, "this node released its claims"),
        Err(error) => tracing::warn!(%error, "this node could not release its claims; other nodes will take them over"),
    }
    result
}

/// Queries the database on a blocking thread. A panic there counts as an error, so the beats continue.
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

/// The last beat that we saw of a node.
struct Heard {
    beat: i64,
    /// Number of our beats since then.
    silent: u32,
}

impl Nodes {
    /// `own` is the name under which this node holds its leases.
    pub fn new(app: Arc<App>, own: String) -> Nodes {
        Nodes {
            app,
            own,
            heard: HashMap::new(),
            has_beaten: false,
        }
    }

    /// Beats once and takes over from nodes that have been silent too long. Returns how many claims are due again.
    /// Blocking.
    pub fn beat(&mut self) -> Result<u64, store::Error> {
        let own = self.own.clone();
        let (beat, all) = self
            .app
            .store
            .write_relaxed(move |tx| Ok::<_, store::Error>((node::beat(tx, &own)?, node::all(tx)?)))?;
        if self.has_beaten && beat == 1 {
            tracing::warn!("another node declared this one dead; deliveries that were running may arrive twice");
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
                tracing::info!(
                    node = name,
                    claims,
                    "claims of a node that stopped responding were taken over"
                );
                released += claims;
            }
        }
        if released > 0 {
            self.app.bell.ring();
        }
        Ok(released)
    }

    /// Leaves, so that other nodes need not wait until this one counts as dead. Returns how many claims were released.
    /// Blocking.
    pub fn leave(&self) -> Result<u64, store::Error> {
        let (own, now) = (self.own.clone(), self.app.now());
        let released = self.app.store.write_relaxed(move |tx| node::leave(tx, &own, now))?;
        if released > 0 {
            self.app.store.announce()?;
        }
        Ok(released)
    }

    /// Returns the nodes that have been silent too long.
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
