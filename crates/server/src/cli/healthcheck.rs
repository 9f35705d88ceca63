//! `healthcheck`: a health check for containers, whose images contain no HTTP client.

use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream};
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;

use super::Context;
use crate::output::Failure;

/// The time limit for connecting, and for each read and write.
const PATIENCE: Duration = Duration::from_secs(5);

/// Check that the server on this machine is healthy: exit code 0 if `GET /healthz` returns 200
#[derive(Debug, Args)]
pub struct Healthcheck {
    /// The address to connect to; default: server.listen
    #[arg(long, value_name = "ADDR:PORT")]
    address: Option<String>,
}

impl Healthcheck {
    pub fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        let listen = self
            .address
            .unwrap_or_else(|| context.place.configuration.server.listen.clone());
        let address =
            reachable(&listen).ok_or_else(|| Failure::Other(format!("{listen} does not have the form ADDR:PORT")))?;
        let head = answer(address).map_err(|error| Failure::Other(format!("{address} does not answer: {error}")))?;
        let status = head.split(' ').nth(1).unwrap_or_default();
        if status == "200" {
            Ok(ExitCode::SUCCESS)
        } else {
            Err(Failure::Other(format!(
                "{address} responds to GET /healthz with status {status}"
            )))
        }
    }
}

/// Returns the address at which this machine reaches a server with this listening address.
fn reachable(listen: &str) -> Option<SocketAddr> {
    let mut address: SocketAddr = listen.parse().ok()?;
    if address.ip().is_unspecified() {
        address.set_ip(match address.ip() {
            IpAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
            IpAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
        });
    }
    Some(address)
}

/// Reads the first bytes of the response.
fn answer(address: SocketAddr) -> std::io::Result<String> {
    let mut connection = TcpStream::connect_timeout(&address, PATIENCE)?;
    connection.set_read_timeout(Some(PATIENCE))?;
    connection.set_write_timeout(Some(PATIENCE))?;
    write!(
        connection,
        "GET /healthz HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n"
    )?;
    let mut head = [0; 16];
    connection.read_exact(&mut head)?;
    Ok(String::from_utf8_lossy(&head).into_owned())
}

#[cfg(test)]
mod tests {
    use super::reachable;

    #[test]
    fn a_server_on_all_addresses_is_asked_on_this_machine() {
        for (listen, asked) in [
            ("0.0.0.0:8080", "127.0.0.1:8080"),
            ("[::]:80", "[::1]:80"),
            ("10.0.0.7:9", "10.0.0.7:9"),
        ] {
            assert_eq!(reachable(listen), asked.parse().ok());
        }
        assert_eq!(reachable("localhost"), None);
    }
}
