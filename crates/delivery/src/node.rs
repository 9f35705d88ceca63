//! Names the process that holds a lease, and checks whether the holder of another lease is dead.
//!
//! After `kill -9`, the dead process's leases would block their deliveries until they expire. To avoid this, the name
//! contains the host, the process number, and the start time, which distinguishes the process from a later one with the
//! same number. A host consists of its name, its current boot, and its PID namespace, because containers may share a
//! host name without seeing each other's processes. If the system does not provide this information (no `/proc`), and
//! after a reboot, leases simply expire.

use std::fs;

/// This process: `host/number/start`, where the host is `name+boot+space`.
pub fn this_process() -> String {
    let number = std::process::id();
    format!("{}/{number}/{}", host(), start_of(number).unwrap_or_default())
}

/// Returns whether the process with this name ran on this machine and has ended.
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
    let name = name.unwrap_or_else(|| "localhost".to_owned());
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let space = fs::read_link("/proc/self/ns/pid").unwrap_or_default();
    format!("{}+{}+{}", name.trim(), boot.trim(), space.to_string_lossy())
}

/// Returns the start time of a running process, in ticks since boot. `None` if it has ended or is a zombie.
fn start_of(number: u32) -> Option<String> {
    let stat = fs::read_to_string(format!("/proc/{number}/stat")).ok()?;
    // The name in parentheses may contain any character, so count the fields after it: the state is the first, the
    // start time the twentieth.
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
        // The owner ran in another container with the same host name, or on this machine before a reboot.
        let (before_the_space, _) = host()
            .rsplit_once('+')
            .map(|(a, b)| (a.to_owned(), b.to_owned()))
            .unwrap();
        let (name, _) = host()
            .split_once('+')
            .map(|(a, b)| (a.to_owned(), b.to_owned()))
            .unwrap();
        let own = start_of(std::process::id()).unwrap();
        for owner in [
            "elsewhere/1/100",
            "",
            "a",
            "a/b",
            "a/b/c",
            &format!("{}/x/1", host()),
            &format!("{before_the_space}+pid:[1]/4000000/{own}"),
            &format!("{name}/4000000/{own}"),
        ] {
            assert!(!is_dead(owner), "{owner}");
        }
    }
}
