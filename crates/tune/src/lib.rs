//! Charter.
