//! Tests of delivery with real parts: a store, and receivers and mail servers on their own ports. Time is a clock that
//! the tests move.

extern crate countersign_delivery as delivery;

mod house;

mod addresses;
mod blocks;
mod bounces;
mod bucket;
mod endpoints;
mod faults;
mod gateways;
mod guarded;
mod mails;
mod messengers;
mod nodes;
mod oauth;
mod private_addresses;
mod proxy;
mod retries;
mod runner;
mod shares;
mod webhooks;
