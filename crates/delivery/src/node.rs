//! The name by which this process holds leases, and whether the holder of another lease is dead.
//!
//! After `kill -9` the leases of the dead process would keep their deliveries back until they end. So the name says on
//! which machine, and by which process, a lease is held: host, process number, and the process's start time, which tells
//! it from a later one of the same number. Where the system does not say (no `/proc`), leases simply end by themselves.

use std::fs;

/// This process: `host/number/start`.
pub fn this_process() -> String {
    let number = std::process::id();
    format!("{}/{number}/{}", host(), start_of(number).unwrap_or_default())
}

/// Whether the process that goes by this name ran on this machine and is no more.
pub fn is_dead(owner: &str) -> bool {
    let mut parts = owner.rsplitn(3, '/');
    let (Some(start), Some(number), Some(on)) = (parts.next(), parts.next(), parts.next()) else {
        return false;
    };
    let Ok(number) = number.parse::<u32>() else {
        return false;
    };
    if on != host() || start.is_empty() || start_of(std::process::id()).is_none() {
        return false;
    }
    start_of(number).as_deref() != Some(start)
}

fn host() -> String {
    let name = ["/proc/sys/kernel/hostname", "/etc/hostname"]
        .iter()
        .find_map(|path| fs::read_to_string(path).ok());
    name.map_or_else(|| "localhost".to_owned(), |name| name.trim().to_owned())
}

/// When a living process started, in ticks since the machine did; none for one that is no more, or only waits for its
/// parent to take notice of its end.
fn start_of(number: u32) -> Option<String> {
    let stat = fs::read_to_string(format!("/proc/{number}/stat")).ok()?;
    // The name in brackets may hold anything, so count from behind it: state is the first word, start the twentieth.
    let (_, rest) = stat.rsplit_once(')')?;
    let mut words = rest.split_whitespace();
    match words.next()? {
        "Z" | "X" => None,
        _ => words.nth(18).map(str::to_owned),
    }
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn this_process_is_alive() {
        assert!(!is_dead(&this_process()));
    }

    #[test]
    fn a_process_is_dead_once_it_was_killed_and_so_is_one_whose_number_another_has_now() {
        let mut child = Command::new("cat")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let name = format!("{}/{}/{}", host(), child.id(), start_of(child.id()).unwrap());
        assert!(!is_dead(&name));
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(is_dead(&name));
        assert!(is_dead(&format!("{}/{}/0", host(), std::process::id())));
    }

    #[test]
    fn nothing_is_said_of_other_machines_and_other_names() {
        for owner in ["elsewhere/1/100", "", "a", "a/b", "a/b/c", &format!("{}/x/1", host())] {
            assert!(!is_dead(owner), "{owner}");
        }
    }
}
