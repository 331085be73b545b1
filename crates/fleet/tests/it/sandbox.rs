//! The sandbox in which workers start programs of others: what these see, write and reach, and how they end.
#![cfg(target_os = "linux")]

use std::{
    fs,
    net::TcpListener,
    path::Path,
    process::{Command, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};
use tesuji_system::{
    Ending, ProcessTree, ProgramPipes, Sandbox, SandboxRules, Starved, ending, find_program, is_process_alive,
};
use tesuji_testkit::needs;

/// A sandbox, where this machine lets us have one.
fn sandbox(rules: SandboxRules) -> Option<Sandbox> {
    let found = Sandbox::find(rules);
    if let Err(reason) = &found {
        needs::skip(&format!("needs bubblewrap and a kernel that lets it work: {reason}"));
    }
    found.ok()
}

fn shell(script: &str) -> Command {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", script]);
    command
}

/// What a script says in the sandbox, and whether all went well. Folders for temporary files are private there: what is to be seen of them is named.
fn said(sandbox: &Sandbox, script: &str, writable: &[&Path], readable: &[&Path]) -> (String, bool) {
    let out = sandbox.command(shell(script), writable, readable).stdin(Stdio::null()).output().unwrap();
    (String::from_utf8_lossy(&out.stdout).into_owned() + &String::from_utf8_lossy(&out.stderr), out.status.success())
}

#[test]
fn what_is_outside_can_be_read_and_not_written() {
    let Some(sandbox) = sandbox(SandboxRules::default()) else { return };
    let outside = tempfile::tempdir().unwrap();
    let [own, other] = ["own", "other"].map(|name| outside.path().join(name));
    fs::create_dir(&own).unwrap();
    fs::write(&other, "seen").unwrap();
    let (words, is_well) = said(&sandbox, &format!("cat {}", other.display()), &[], &[outside.path()]);
    assert!(is_well && words == "seen", "{words}");
    for place in [&other, &outside.path().join("new"), &own.join("new")] {
        let (words, is_well) = said(&sandbox, &format!("echo x > {}", place.display()), &[], &[outside.path()]);
        assert!(!is_well && words.contains("Read-only file system"), "{words}");
    }
    // Its own folder, and one for temporary files that nobody else sees.
    let script = format!("echo x > {} && echo y > /tmp/y && cat /tmp/y && pwd", own.join("new").display());
    let (words, is_well) = said(&sandbox, &script, &[&own], &[]);
    assert!(is_well && words == "y\n/tmp\n", "{words}");
    assert_eq!(fs::read_to_string(own.join("new")).unwrap(), "x\n");
    assert!(!Path::new("/tmp/y").exists() && fs::read_to_string(&other).unwrap() == "seen");
    // Its home folder is empty, and nobody else's; what is installed in the true one is named by variables.
    let script = "ls -A \"$HOME\"; echo x > \"$HOME/x\" && ls \"$HOME\" && test \"$HOME\" != \"$OUTER\"";
    let mut homely = shell(script);
    homely.env("OUTER", std::env::var_os("HOME").unwrap_or_default());
    let out = sandbox.command(homely, &[], &[]).output().unwrap();
    assert!(out.status.success() && out.stdout == b"x\n", "{out:?}");
    let mut named = shell("echo $HOME");
    named.env("HOME", "/a/home");
    assert_eq!(sandbox.command(named, &[], &[]).output().unwrap().stdout, b"/a/home\n");
    let mut inside = shell("pwd; echo z > z");
    inside.current_dir(&own);
    let out = sandbox.command(inside, &[], &[]).output().unwrap();
    let place = fs::canonicalize(&own).unwrap().display().to_string();
    assert!(out.status.success() && String::from_utf8_lossy(&out.stdout).trim() == place, "{out:?}");
    assert!(own.join("z").is_file());
}

#[test]
fn nobody_is_connected_to_and_secrets_are_not_there() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("fleet");
    fs::create_dir_all(place.join("files")).unwrap();
    fs::write(place.join("token"), "secret").unwrap();
    fs::write(place.join("files/net"), "weights").unwrap();
    fs::write(folder.path().join("a.key"), "secret").unwrap();
    let rules = SandboxRules {
        hidden: vec![place.clone(), folder.path().join("a.key"), folder.path().join("not there")],
        shown: vec![place.join("files")],
        ..SandboxRules::default()
    };
    let Some(sandbox) = sandbox(rules.clone()) else { return };
    let read =
        |name: &str| said(&sandbox, &format!("cat {}", folder.path().join(name).display()), &[], &[folder.path()]);
    assert_eq!(read("fleet/files/net"), ("weights".into(), true));
    let (words, _) = read("a.key");
    assert!(!words.contains("secret"), "{words}");
    let (words, is_well) = read("fleet/token");
    assert!(!is_well && words.contains("No such file"), "{words}");
    // Other processes, whose environment may have secrets, are not seen.
    let (words, _) = said(&sandbox, &format!("ls -d /proc/{}", std::process::id()), &[], &[]);
    assert!(words.contains("No such file"), "{words}");

    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let connect = format!("exec 3<>/dev/tcp/127.0.0.1/{port}");
    let bash = |sandbox: &Sandbox| {
        let mut command = Command::new("bash");
        command.args(["-c", &connect]);
        sandbox.command(command, &[], &[]).stderr(Stdio::null()).status().unwrap().success()
    };
    if find_program("bash").is_some() {
        assert!(!bash(&sandbox), "it reached a server");
        let open = Sandbox::find(SandboxRules { network: true, ..rules }).unwrap();
        assert!(bash(&open), "it may use the network");
    }
}

#[test]
fn a_process_has_so_much_memory() {
    let Some(sandbox) = sandbox(SandboxRules { memory_mib: Some(64), ..SandboxRules::default() }) else { return };
    let (words, is_well) = said(&sandbox, "ulimit -d", &[], &[]);
    assert!(is_well && words.trim() == "65536", "{words}");
    assert!(sandbox.words().ends_with("no network, 64 MiB a process"), "{}", sandbox.words());
}

fn tree(sandbox: &Sandbox, script: &str) -> ProcessTree {
    let mut command = sandbox.command(shell(script), &[], &[]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    ProcessTree::spawn(&mut command).unwrap()
}

fn end(tree: &mut ProcessTree) -> Ending {
    let began = Instant::now();
    loop {
        if let Some(status) = tree.exit_status() {
            return ending(status);
        }
        assert!(began.elapsed() < Duration::from_secs(60));
        sleep(Duration::from_millis(2));
    }
}

#[test]
fn ends_and_numbers_are_those_of_the_program() {
    let Some(sandbox) = sandbox(SandboxRules::default()) else { return };
    assert_eq!(end(&mut tree(&sandbox, "exit 7")), Ending::Code(7));
    assert_eq!(end(&mut tree(&sandbox, "kill -SEGV $$")), Ending::Signal(11));
    let mut sleeping = tree(&sandbox, "echo here; exec sleep 100");
    // As an engine is watched: from its start, when it may not be there yet.
    let mut starved = Starved::new(sleeping.id());
    let mut pipes = ProgramPipes::of(&mut sleeping).unwrap();
    let (mut heard, mut chunk) = (0, [0; 100]);
    while heard == 0 {
        pipes.wait(Duration::from_secs(1)).unwrap();
        heard = pipes.read_output(&mut chunk).unwrap_or(0);
    }
    let name = || fs::read_to_string(format!("/proc/{}/comm", sleeping.id())).unwrap_or_default();
    let began = Instant::now();
    while name() != "sleep\n" {
        assert!(began.elapsed() < Duration::from_secs(60), "{}", name());
    }
    let process = sleeping.id();
    starved.begin();
    assert_eq!(starved.since_begin().is_some(), Path::new("/proc/self/schedstat").exists());
    sleeping.kill();
    // The sandbox takes a moment to clear its dead away.
    let began = Instant::now();
    while is_process_alive(process) {
        assert!(began.elapsed() < Duration::from_secs(60), "it goes on");
        sleep(Duration::from_millis(2));
    }
}

#[test]
fn helpers_end_with_the_program() {
    let Some(sandbox) = sandbox(SandboxRules::default()) else { return };
    let folder = tempfile::tempdir().unwrap();
    let script = format!(
        "(setsid sh -c 'while :; do echo x >> {0}/beat; sleep 0.02; done') & sleep 0.3",
        folder.path().display()
    );
    let mut command = sandbox.command(shell(&script), &[folder.path()], &[]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut left = ProcessTree::spawn(&mut command).unwrap();
    assert_eq!(end(&mut left), Ending::Code(0));
    let beats = || fs::metadata(folder.path().join("beat")).map_or(0, |data| data.len());
    let before = beats();
    sleep(Duration::from_millis(300));
    assert!(before > 0 && beats() == before, "{before} {}", beats());
}
