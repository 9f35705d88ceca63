//! One of two nodes is killed while it delivers. The tests of `delivery` prove without a clock that the failure is
//! noticed soon enough. This test prints how long it takes on this machine, and `script/bench delivery` measures it.

use testkit::installation::binary;
use testkit::node_kills::deliveries_after_kills;
use testkit::scale::Scale;

#[test]
fn what_a_killed_node_held_is_delivered_by_the_other_though_its_leases_have_not_ended() {
    let kills = Scale::NodeKills.count();
    let took = deliveries_after_kills(&binary(), kills);
    println!("delivered again after {took:?}");
    assert!(took.len() >= kills as usize, "each killed node held something");
}
