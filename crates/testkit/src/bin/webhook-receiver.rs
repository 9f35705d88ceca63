//! Prints the webhooks it receives: `webhook-receiver [ADDRESS] [whsec_SECRET]`. For experiments.
//!
//! The first line is the address it listens on. With the client's secret it checks each signature.

use std::thread;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use testkit::receiver::{Received, Receiver};

fn main() {
    // The first argument is the program's own name.
    let mut arguments = std::env::args().skip(1);
    let address = arguments.next().unwrap_or_else(|| "127.0.0.1:0".to_owned());
    let key = arguments
        .next()
        .and_then(|secret| BASE64_STANDARD.decode(secret.trim_start_matches("whsec_")).ok());
    let receiver = Receiver::listen(&address, move |request| show(request, key.as_deref()));
    println!("http://{}", receiver.address());
    loop {
        thread::park();
    }
}

fn show(request: &Received, key: Option<&[u8]>) {
    println!("\n{} {}", request.method, request.path);
    for name in ["webhook-id", "webhook-timestamp", "webhook-signature", "authorization"] {
        let value = request.header(name);
        if !value.is_empty() {
            println!("{name}: {value}");
        }
    }
    if let Some(key) = key {
        println!("signature: {}", if is_signed(request, key) { "good" } else { "WRONG" });
    }
    match serde_json::from_slice::<serde_json::Value>(&request.body) {
        Ok(body) => println!("{body:#}"),
        Err(_) => println!("{}", String::from_utf8_lossy(&request.body)),
    }
}

fn is_signed(request: &Received, key: &[u8]) -> bool {
    let Ok(mut mac) = <Hmac<Sha256> as KeyInit>::new_from_slice(key) else {
        return false;
    };
    mac.update(
        format!(
            "{}.{}.",
            request.header("webhook-id"),
            request.header("webhook-timestamp")
        )
        .as_bytes(),
    );
    mac.update(&request.body);
    let wanted = format!("v1,{}", BASE64_STANDARD.encode(mac.finalize().into_bytes()));
    request
        .header("webhook-signature")
        .split(' ')
        .any(|signature| signature == wanted)
}
