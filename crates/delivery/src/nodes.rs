//! Takes back what a dead node had claimed, long before its leases end (docs/adr/0022).
//!
//! Every node counts up a number of its own in the database, every two seconds. A node whose number stood still while this
//! one counted up [`SILENCE`] times is dead to it: its row is removed, and all that it held is due again, in one transaction.
//!
//! - No clock is compared with another: a node's silence is counted in beats of the one that listens. While the database is
//!   away nobody beats, so nobody is taken for dead.
//! - A node that was only slow, or stood still, goes on under the same name: its next beat makes its row anew. What it was
//!   delivering may be delivered twice, as always when a lease ends; a result is recorded only by whoever holds the lease.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;
use std::time::Duration;

use app::App;
use store::node::{self, Node};

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
