//! Entries for fuzzers: each takes any bytes, must return, and asserts that what was read writes and reads back.

use crate::wire::{
    Reply, Request, read_greeting, read_reply, read_request, write_greeting, write_reply, write_request,
};

/// Planes of the net whose server [`requests`] is.
const PLANES: usize = 3;

/// Reads `bytes` as a server reads a plain socket: one request after the other.
///
/// # Panics
/// When a request that was read does not survive writing.
pub fn requests(bytes: &[u8]) {
    let written = |request: &Request| {
        let mut out = Vec::new();
        write_request(request.height, request.width, request.batch, &request.planes, &mut out);
        out
    };
    let mut input = bytes;
    while let Ok(Some(request)) = read_request(PLANES, &mut input) {
        assert_eq!(request.planes.len(), request.batch * PLANES * request.height * request.width);
        let first = written(&request);
        let again = read_request(PLANES, &mut &first[..]).ok().flatten();
        // By bytes, since planes may hold what is no number.
        assert_eq!(again.map(|again| written(&again)), Some(first));
    }
}

/// Reads `bytes` as a client reads a plain socket: a greeting.
///
/// # Panics
/// When a net that was read does not survive writing, or has answers without lengths.
pub fn greeting(bytes: &[u8]) {
    let Ok(net) = read_greeting(&mut &bytes[..]) else { return };
    assert!(net.actions(32, 32) > 0);
    let mut out = Vec::new();
    assert!(write_greeting(&net, &mut out).is_ok());
    assert_eq!(read_greeting(&mut &out[..]).ok(), Some(net));
}

/// Reads `bytes` as a client reads a plain socket: one reply after the other.
///
/// # Panics
/// When a reply that was read does not survive writing.
pub fn replies(bytes: &[u8]) {
    let (mut input, mut reply, mut again) = (bytes, Reply::default(), Reply::default());
    let (mut first, mut second) = (Vec::new(), Vec::new());
    while let Ok(said) = read_reply(&mut input, &mut reply) {
        write_reply(&said.map(|()| reply.clone()), &mut first);
        let written = read_reply(&mut &first[..], &mut again);
        assert!(written.is_ok(), "{written:?}");
        if let Ok(said) = written {
            write_reply(&said.map(|()| again.clone()), &mut second);
        }
        assert_eq!(first, second);
    }
}

/// The messages of gRPC, at both ends.
///
/// # Panics
/// When a message that was read does not survive writing.
#[cfg(feature = "grpc")]
pub fn messages(bytes: &[u8]) {
    use crate::{
        grpc::{Description, Outputs, Positions},
        wire::{read_architecture, unpack},
    };
    use prost::Message;

    fn check<M: Message + Default>(bytes: &[u8]) -> Option<M> {
        let message = M::decode(bytes).ok()?;
        let first = message.encode_to_vec();
        let again = M::decode(&first[..]).map(|again| again.encode_to_vec());
        assert_eq!(again.ok(), Some(first));
        Some(message)
    }
    if let Some(positions) = check::<Positions>(bytes) {
        let _ = unpack(25, PLANES, &mut &positions.packed[..]);
    }
    check::<Outputs>(bytes);
    if let Some(net) = check::<Description>(bytes).and_then(|said| read_architecture(&said.architecture).ok()) {
        assert!(net.actions(32, 32) > 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grpc::{Description, Positions};
    use prost::Message;
    use tesuji_nn::Architecture;
    use tesuji_testkit::fuzz::{Target, run_bytes, run_in_place, run_large, time_for_each};

    /// Three positions of bits, of numbers, and of planes that are alike.
    fn request() -> Vec<u8> {
        let number = |n: usize| match n / 25 % 3 {
            0 => 0.25,
            1 => (n % 3 / 2) as f32,
            _ => n as f32 / 50.0 - 1.0,
        };
        let planes: Vec<f32> = (0..3 * PLANES * 25).map(number).collect();
        let mut out = Vec::new();
        write_request(5, 5, 3, &planes, &mut out);
        out
    }

    #[test]
    fn both_ends_survive_bent_and_large_input() {
        let net = Architecture::for_any_size("any", PLANES, 5, 1, 4);
        let (mut greeted, mut replied, mut refused) = (Vec::new(), Vec::new(), Vec::new());
        write_greeting(&net, &mut greeted).unwrap();
        write_reply(&Ok(Reply { parts: [vec![0.5; 26], vec![-1.0], vec![0.0; 25], vec![2.5]] }), &mut replied);
        write_reply(&Err("no such board".into()), &mut refused);
        // A head that promises more than comes.
        let promised = [32_u32, 32, 20_000].iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>();
        let positions = Positions {
            id: 7,
            height: 5,
            width: 5,
            count: 3,
            packed: request()[12..].to_vec(),
            ..Positions::default()
        };
        let described =
            Description { architecture: serde_json::to_string(&net).unwrap(), planes: 3, ..Description::default() };
        let targets: [(&str, Target, Vec<Vec<u8>>); 4] = [
            ("serving::requests", requests, vec![request(), [promised, request()].concat()]),
            ("serving::greeting", greeting, vec![greeted]),
            ("serving::replies", replies, vec![replied, refused]),
            ("serving::messages", messages, vec![positions.encode_to_vec(), described.encode_to_vec()]),
        ];
        for (name, target, seeds) in targets {
            let bent = run_bytes(name, target, &seeds, 0x5E41, time_for_each(200))
                + run_in_place(name, target, &seeds, 0x5E42, time_for_each(200));
            let large = run_large(name, target, &seeds, 0x5E43);
            println!("{name}: {bent} inputs, {large} of a megabyte");
        }
    }
}
