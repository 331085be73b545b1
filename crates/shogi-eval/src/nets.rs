//! Networks of shogi that come with the program, by their names; each says in itself where it comes from.

/// Name and file (safetensors) of each.
pub const NETS: [(&str, &[u8]); 1] = [("shogi-4x48", include_bytes!("../data/shogi-4x48.safetensors"))];
