//! A client in another language, with another library: Python's grpcio, from the .proto file alone.

use crate::{kept, net, planes, server};
use std::{
    io::Write,
    process::{Command, Stdio},
};
use tesuji_nn::{Architecture, Runner};
use tesuji_serving::{Protocol, ServerOptions};

/// Numbers to the last bit.
fn hex(numbers: &[f32]) -> String {
    numbers.iter().flat_map(|x| x.to_le_bytes()).map(|byte| format!("{byte:02x}")).collect()
}

/// Each plane as all its numbers: the longest of the ways to pack it.
fn pack(planes: &[f32]) -> String {
    planes.chunks(25).map(|plane| format!("02{}", hex(plane))).collect()
}

#[test]
fn a_client_in_python_hears_the_same() {
    let Some(python) = tesuji_testkit::needs::python("grpc_tools", "grpcio-tools") else { return };
    let (server, addresses) = server(ServerOptions::default());
    let (tests, root) = (concat!(env!("CARGO_MANIFEST_DIR"), "/tests"), env!("CARGO_MANIFEST_DIR"));
    let mut command = Command::new(&python);
    command.args([&format!("{tests}/python/client.py"), &format!("{root}/proto")]);
    command.arg(Protocol::of(&addresses[1]).expect("an address").1).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut client = command.spawn().expect("Python starts");
    let planes = planes(4, 3);
    let question = serde_json::json!({ "planes": planes, "packed": pack(&planes), "count": 3 });
    // A client that goes at once does not read it.
    let _ = client.stdin.take().expect("a pipe").write_all(question.to_string().as_bytes());
    let out = client.wait_with_output().expect("it ends");
    assert!(out.status.success(), "{out:?}");
    let told: serde_json::Value = serde_json::from_slice(&out.stdout).expect("JSON");
    let mut runner = Runner::new(net(), 5, 5, 3).expect("a net for 5x5");
    let expect = serde_json::json!(kept(Runner::run(&mut runner, &planes, 3)).map(|part| hex(&part)));
    assert_eq!(told["unary"], expect);
    assert_eq!(told["first"], expect);
    assert_eq!(told["alike"], true);
    assert_eq!(told["stream"], serde_json::json!((0..50).collect::<Vec<_>>()));
    assert_eq!(told["bounds"], serde_json::json!([7, 5, 5, 256, 16 << 20]));
    let architecture: Architecture = serde_json::from_value(told["architecture"].clone()).expect("an architecture");
    assert_eq!(&architecture, net().architecture());
    let wrong = |code: &str, text: &str| serde_json::json!([code, text]);
    assert_eq!(told["other features"], wrong("FAILED_PRECONDITION", "the net reads features `go-1`, not `go-9`"));
    let few = "0 numbers in `planes`; 3 positions of 7 planes of 5x5 are 525";
    assert_eq!(told["too few"], wrong("INVALID_ARGUMENT", few));
    assert_eq!(told["too long"][0], "RESOURCE_EXHAUSTED");
    assert_eq!(server.counts().so_far().positions, 51 * 3);
}
