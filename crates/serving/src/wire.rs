//! The wire format of plain sockets. All numbers are little-endian.
//!
//! The server greets with `TSJP`, a version and its architecture as JSON. A request is height, width, positions and the
//! planes; a plane is a tag and one number (all alike), bits (zeros and ones) or all its numbers. A reply is a tag and
//! then, for `0`, the lengths and numbers of policy, value, ownership and score, or, for `1`, a reason in words.

use std::io::{self, Read, Write};
use tesuji_nn::Architecture;

const MAGIC: [u8; 4] = *b"TSJP";
/// Of what is described above.
const VERSION: u32 = 1;
/// Longest text, in bytes.
const TEXT_MAX: u32 = 1 << 20;
/// Most numbers in a part of a reply or in the planes of a request.
const NUMBERS_MAX: usize = 1 << 26;
/// Most numbers that memory is reserved for before they come.
const NUMBERS_AHEAD: usize = 1 << 22;

/// Tags of a plane's encoding.
const ALIKE: u8 = 0;
const BITS: u8 = 1;
const NUMBERS: u8 = 2;

/// An error about invalid bytes.
pub(crate) fn wrong(what: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.into())
}

fn write_u32(number: usize, out: &mut Vec<u8>) {
    out.extend_from_slice(&(number as u32).to_le_bytes());
}

fn read_u32(input: &mut impl Read) -> io::Result<u32> {
    let mut bytes = [0; 4];
    input.read_exact(&mut bytes)?;
    Ok(u32::from_le_bytes(bytes))
}

fn read_text(input: &mut impl Read) -> io::Result<String> {
    let length = read_u32(input)?;
    if length > TEXT_MAX {
        return Err(wrong(format!("a text of {length} bytes; at most {TEXT_MAX} are expected")));
    }
    let mut bytes = vec![0; length as usize];
    input.read_exact(&mut bytes)?;
    String::from_utf8(bytes).map_err(|_| wrong("a text that is not UTF-8"))
}

fn read_numbers(count: usize, input: &mut impl Read, out: &mut Vec<f32>) -> io::Result<()> {
    let mut chunk = [0; 4096];
    let mut left = 4 * count;
    while left > 0 {
        let part = &mut chunk[..left.min(4096)];
        input.read_exact(part)?;
        out.extend(part.as_chunks::<4>().0.iter().map(|&bytes| f32::from_le_bytes(bytes)));
        left -= part.len();
    }
    Ok(())
}

/// The server's first words.
pub(crate) fn write_greeting(architecture: &Architecture, out: &mut impl Write) -> io::Result<()> {
    let text = serde_json::to_string(architecture)?;
    let mut bytes = MAGIC.to_vec();
    write_u32(VERSION as usize, &mut bytes);
    write_u32(text.len(), &mut bytes);
    bytes.extend_from_slice(text.as_bytes());
    out.write_all(&bytes)?;
    out.flush()
}

/// The net that a server runs.
pub(crate) fn read_greeting(input: &mut impl Read) -> io::Result<Architecture> {
    let mut magic = [0; 4];
    input.read_exact(&mut magic)?;
    if magic != MAGIC {
        return Err(wrong("it does not greet as a policy server of tesuji"));
    }
    let version = read_u32(input)?;
    if version != VERSION {
        return Err(wrong(format!("it speaks version {version}, this program {VERSION}")));
    }
    read_architecture(&read_text(input)?)
}

/// A net's shape as JSON, such that what is computed of it fits into numbers.
pub(crate) fn read_architecture(text: &str) -> io::Result<Architecture> {
    let architecture: Architecture =
        serde_json::from_str(text).map_err(|error| wrong(format!("its net is not understood: {error}")))?;
    architecture.check().map_err(|error| wrong(format!("its net cannot be: {error}")))?;
    Ok(architecture)
}

/// Positions to be looked at.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Request {
    pub(crate) height: usize,
    pub(crate) width: usize,
    pub(crate) batch: usize,
    /// `[batch * planes * height * width]`.
    pub(crate) planes: Vec<f32>,
}

/// Writes a request into `out`, which is cleared first.
pub(crate) fn write_request(height: usize, width: usize, batch: usize, planes: &[f32], out: &mut Vec<u8>) {
    out.clear();
    for number in [height, width, batch] {
        write_u32(number, out);
    }
    pack(height * width, planes, out);
}

/// Appends planes of this many points to `out`, each in the way that is shortest for it.
pub(crate) fn pack(points: usize, planes: &[f32], out: &mut Vec<u8>) {
    for plane in planes.chunks(points) {
        let first = plane[0];
        if plane.iter().all(|&x| x.to_bits() == first.to_bits()) {
            out.push(ALIKE);
            out.extend_from_slice(&first.to_le_bytes());
        } else if plane.iter().all(|&x| x == 1.0 || x.to_bits() == 0) {
            out.push(BITS);
            out.extend(plane.chunks(8).map(|eight| {
                let bits = eight.iter().enumerate().map(|(n, &x)| u8::from(x == 1.0) << n);
                bits.fold(0, |byte, bit| byte | bit)
            }));
        } else {
            out.push(NUMBERS);
            plane.iter().for_each(|x| out.extend_from_slice(&x.to_le_bytes()));
        }
    }
}

/// Reads a request for a net of this many `planes`; `None` where the client has gone.
pub(crate) fn read_request(planes: usize, input: &mut impl Read) -> io::Result<Option<Request>> {
    let mut first = [0; 4];
    match input.read(&mut first[..1])? {
        0 => return Ok(None),
        _ => input.read_exact(&mut first[1..])?,
    }
    let height = u32::from_le_bytes(first) as usize;
    let (width, batch) = (read_u32(input)? as usize, read_u32(input)? as usize);
    if !(1..=32).contains(&height) || !(1..=32).contains(&width) {
        return Err(wrong(format!("a board of {height} x {width}; 1 to 32 lines are expected")));
    }
    let (points, count) = (height * width, batch.saturating_mul(planes));
    if batch == 0 || count.saturating_mul(points) > NUMBERS_MAX {
        return Err(wrong(format!("a request of {batch} positions")));
    }
    let planes = unpack(points, count, input)?;
    Ok(Some(Request { height, width, batch, planes }))
}

/// Reads this many planes of this many points.
pub(crate) fn unpack(points: usize, count: usize, input: &mut impl Read) -> io::Result<Vec<f32>> {
    let mut planes = Vec::with_capacity(count.saturating_mul(points).min(NUMBERS_AHEAD));
    let mut bits = vec![0; points.div_ceil(8)];
    for _ in 0..count {
        let mut tag = [0];
        input.read_exact(&mut tag)?;
        match tag[0] {
            ALIKE => {
                let mut bytes = [0; 4];
                input.read_exact(&mut bytes)?;
                planes.resize(planes.len() + points, f32::from_le_bytes(bytes));
            }
            BITS => {
                input.read_exact(&mut bits)?;
                planes.extend((0..points).map(|n| f32::from(bits[n / 8] >> (n % 8) & 1)));
            }
            NUMBERS => read_numbers(points, input, &mut planes)?,
            other => return Err(wrong(format!("a plane told in way {other}"))),
        }
    }
    Ok(planes)
}

/// The outputs of a net; see [`tesuji_nn::Outputs`].
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Reply {
    pub(crate) parts: [Vec<f32>; 4],
}

/// Writes a reply, or why there is none, into `out`, which is cleared first.
pub(crate) fn write_reply(reply: &Result<Reply, String>, out: &mut Vec<u8>) {
    out.clear();
    match reply {
        Ok(reply) => {
            out.push(0);
            for part in &reply.parts {
                write_u32(part.len(), out);
                part.iter().for_each(|x| out.extend_from_slice(&x.to_le_bytes()));
            }
        }
        Err(reason) => {
            out.push(1);
            write_u32(reason.len(), out);
            out.extend_from_slice(reason.as_bytes());
        }
    }
}

/// Reads a reply into `reply`; the inner error is the server's.
pub(crate) fn read_reply(input: &mut impl Read, reply: &mut Reply) -> io::Result<Result<(), String>> {
    let mut tag = [0];
    input.read_exact(&mut tag)?;
    match tag[0] {
        0 => {}
        1 => return Ok(Err(read_text(input)?)),
        other => return Err(wrong(format!("a reply of kind {other}"))),
    }
    for part in &mut reply.parts {
        part.clear();
        let count = read_u32(input)? as usize;
        if count > NUMBERS_MAX {
            return Err(wrong(format!("a reply of {count} numbers")));
        }
        read_numbers(count, input, part)?;
    }
    Ok(Ok(()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_and_replies_come_as_they_went() {
        let mut planes = vec![0.5; 9];
        planes.extend((0..9).map(|n| f32::from(n as u8 % 2)));
        planes.extend((0..9).map(|n| n as f32 - 4.0));
        planes.extend([-0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0, 0.0, 0.0]);
        let mut bytes = Vec::new();
        write_request(3, 3, 2, &planes, &mut bytes);
        let request = read_request(2, &mut &bytes[..]).unwrap().unwrap();
        assert_eq!((request.height, request.width, request.batch), (3, 3, 2));
        let bits = |numbers: &[f32]| numbers.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&request.planes), bits(&planes));
        assert!(bytes.len() < 12 + 5 + 3 + 2 * 37 + 1, "planes of bits are bits");
        for cut in 1..bytes.len() {
            assert!(read_request(2, &mut &bytes[..cut]).is_err(), "{cut}");
        }
        assert_eq!(read_request(2, &mut &b""[..]).unwrap(), None);
        let reply = Reply { parts: [vec![1.0, 2.0], vec![0.5], vec![], vec![-3.0]] };
        write_reply(&Ok(reply.clone()), &mut bytes);
        let mut again = Reply::default();
        read_reply(&mut &bytes[..], &mut again).unwrap().unwrap();
        assert_eq!(again, reply);
        write_reply(&Err("no".into()), &mut bytes);
        assert_eq!(read_reply(&mut &bytes[..], &mut again).unwrap(), Err("no".into()));
    }

    #[test]
    fn lengths_from_outside_are_bounded() {
        let mut bytes = Vec::new();
        [5, 5, 0xFFFF_FFFF].into_iter().for_each(|n| write_u32(n, &mut bytes));
        assert!(read_request(40, &mut &bytes[..]).is_err());
        bytes.clear();
        [33, 5, 1].into_iter().for_each(|n| write_u32(n, &mut bytes));
        assert!(read_request(40, &mut &bytes[..]).is_err());
        assert!(read_reply(&mut &[0, 255, 255, 255, 255][..], &mut Reply::default()).is_err());
        assert!(read_greeting(&mut &b"TSJP\x01\0\0\0\xFF\xFF\xFF\xFF"[..]).is_err());
    }

    /// A server that greeted with a net of 2^63 planes ended its clients: the lengths of replies did not fit into numbers.
    #[test]
    fn a_net_that_cannot_be_is_refused() {
        let mut net = Architecture::for_any_size("any", 3, 5, 1, 4);
        net.policy.planes = usize::MAX;
        let mut bytes = Vec::new();
        write_greeting(&net, &mut bytes).unwrap();
        assert!(
            read_greeting(&mut &bytes[..])
                .unwrap_err()
                .to_string()
                .contains("the planes of the policy is 18446744073709551615")
        );
    }

    /// Whatever was no error was taken for an answer.
    #[test]
    fn replies_of_unknown_kinds_are_errors() {
        let nothing = [0; 16];
        let read = |kind: u8| read_reply(&mut &[&[kind][..], &nothing].concat()[..], &mut Reply::default());
        assert_eq!(read(0).unwrap(), Ok(()));
        assert!(read(2).unwrap_err().to_string().contains("a reply of kind 2"));
    }
}
