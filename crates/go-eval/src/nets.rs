//! Networks of go that come with the program, by their names; each says in itself where it comes from.

/// Name and file (safetensors) of each.
pub const NETS: [(&str, &[u8]); 3] = [
    ("go19-6x48", include_bytes!("../data/go19-6x48.safetensors")),
    ("go19-4x32", include_bytes!("../data/go19-4x32.safetensors")),
    ("go9-4x32", include_bytes!("../data/go9-4x32.safetensors")),
];
