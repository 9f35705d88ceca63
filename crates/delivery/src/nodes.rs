//! Takes back what a dead node had claimed, long before its leases end (docs/adr/0022).
//!
//! Every node counts up a number of its own in the database, every two seconds. A node whose number stood still while this
//! one counted up [`SILENCE`] times is dead to it: its row is removed, and all that it held is due again, in one transaction.
//!
//! - No clock is compared with another: a node's silence is counted in beats of the one that listens. While the database is
//!   away nobody beats, so nobody is taken for dead.
//! - A node that was only slow, or stood still, goes on under the same name: its next beat makes its row anew. What it was
//!   delivering may be delivered twice, as always when a lease ends; a result is recorded only by whoever holds the lease.
//! - A node beats for as long as its work goes on ([`alive_while`]): while a runner lets what is under way come to its end,
//!   nobody else takes that over. Once the work is done, the node leaves and gives back all that it still has.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use app::App;
use store::node::{self, Node};
use tokio::sync::Notify;
use tokio::task::spawn_blocking;

/// How often a node shows that it lives.
pub const BEAT: Duration = Duration::from_secs(2);
/// A node that is silent for so many beats of ours is dead: 6 to 8 seconds after its last one.
pub const SILENCE: u32 = 3;

/// This node among the others.
pub struct Nodes {
    app: Arc<App>,
    own: String,
    heard: HashMap<String, Heard>,
    has_beaten: bool,
}

/// Does the work of a node that claims things, and shows for exactly as long that it lives; then leaves. `pause` is what lies
/// between two beats ([`BEAT`]). If the work panics, so does this, and the node falls silent.
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
                tracing::warn!(%error, "this node could not show that it lives");
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
        Ok(claims) => tracing::info!(claims, "what this node had claimed was given back"),
        Err(error) => tracing::warn!(%error, "this node could not leave; others take over what it had claimed"),
    }
    result
}

/// Asks the database on a thread for blocking work. A panic there is an error like others: the next beat comes all the same.
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

/// When a node was heard last.
struct Heard {
    beat: i64,
    /// For so many of our beats it has not changed.
    silent: u32,
}

impl Nodes {
    /// This node, by the name that it holds leases by.
    pub fn new(app: Arc<App>, own: String) -> Nodes {
        Nodes {
            app,
            own,
            heard: HashMap::new(),
            has_beaten: false,
        }
    }

    /// Beats once, and takes over from nodes that have been silent for too long. Blocks. How many claims are due again.
    pub fn beat(&mut self) -> Result<u64, store::Error> {
        let own = self.own.clone();
        let (beat, all) = self
            .app
            .store
            .write_relaxed(move |tx| Ok::<_, store::Error>((node::beat(tx, &own)?, node::all(tx)?)))?;
        if self.has_beaten && beat == 1 {
            tracing::warn!("another node took this one for dead; what it was delivering may arrive twice");
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

    /// Leaves: others have no longer to wait until this node is silent. Blocks. How many claims it gave back.
    pub fn leave(&self) -> Result<u64, store::Error> {
        let (own, now) = (self.own.clone(), self.app.now());
        let released = self.app.store.write_relaxed(move |tx| node::leave(tx, &own, now))?;
        if released > 0 {
            self.app.store.announce()?;
        }
        Ok(released)
    }

    /// The nodes that have not been heard for too long.
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
