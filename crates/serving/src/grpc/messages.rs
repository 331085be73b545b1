//! The messages of `proto/policy.proto` and of gRPC's health service, by hand: who builds needs no compiler of .proto files.
//! A test holds them against that file.

use std::marker::PhantomData;
use tonic::{
    Status,
    codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder},
};

/// The path of a method.
pub(crate) const DESCRIBE: &str = "/tesuji.policy.v1.Policy/Describe";
pub(crate) const EVALUATE: &str = "/tesuji.policy.v1.Policy/Evaluate";
pub(crate) const EVALUATE_STREAM: &str = "/tesuji.policy.v1.Policy/EvaluateStream";
pub(crate) const HEALTH_CHECK: &str = "/grpc.health.v1.Health/Check";

/// The service's name, for those who ask after its health.
pub(crate) const SERVICE: &str = "tesuji.policy.v1.Policy";
/// The status of a healthy service.
pub(crate) const SERVING: i32 = 1;

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct DescribeRequest {}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct Description {
    #[prost(string, tag = "1")]
    pub(crate) architecture: String,
    #[prost(string, tag = "2")]
    pub(crate) features: String,
    #[prost(uint32, tag = "3")]
    pub(crate) planes: u32,
    #[prost(uint32, tag = "4")]
    pub(crate) height: u32,
    #[prost(uint32, tag = "5")]
    pub(crate) width: u32,
    #[prost(bool, tag = "6")]
    pub(crate) any_size: bool,
    #[prost(uint32, tag = "7")]
    pub(crate) actions: u32,
    #[prost(bool, tag = "8")]
    pub(crate) ownership: bool,
    #[prost(bool, tag = "9")]
    pub(crate) score: bool,
    #[prost(uint32, tag = "10")]
    pub(crate) positions_max: u32,
    #[prost(uint32, tag = "11")]
    pub(crate) request_bytes_max: u32,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct Positions {
    #[prost(uint64, tag = "1")]
    pub(crate) id: u64,
    #[prost(uint32, tag = "2")]
    pub(crate) height: u32,
    #[prost(uint32, tag = "3")]
    pub(crate) width: u32,
    #[prost(uint32, tag = "4")]
    pub(crate) count: u32,
    #[prost(string, tag = "5")]
    pub(crate) features: String,
    #[prost(float, repeated, tag = "6")]
    pub(crate) planes: Vec<f32>,
    #[prost(bytes = "vec", tag = "7")]
    pub(crate) packed: Vec<u8>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct Outputs {
    #[prost(uint64, tag = "1")]
    pub(crate) id: u64,
    #[prost(float, repeated, tag = "2")]
    pub(crate) policy: Vec<f32>,
    #[prost(float, repeated, tag = "3")]
    pub(crate) value: Vec<f32>,
    #[prost(float, repeated, tag = "4")]
    pub(crate) ownership: Vec<f32>,
    #[prost(float, repeated, tag = "5")]
    pub(crate) score: Vec<f32>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct HealthCheckRequest {
    #[prost(string, tag = "1")]
    pub(crate) service: String,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct HealthCheckResponse {
    #[prost(int32, tag = "1")]
    pub(crate) status: i32,
}

/// Writes messages `E` and reads messages `D`.
pub(crate) struct ProstCodec<E, D>(PhantomData<(E, D)>);

impl<E, D> Default for ProstCodec<E, D> {
    fn default() -> Self {
        ProstCodec(PhantomData)
    }
}

impl<E, D> Codec for ProstCodec<E, D>
where
    E: prost::Message + 'static,
    D: prost::Message + Default + 'static,
{
    type Encode = E;
    type Decode = D;
    type Encoder = ProstCodec<E, D>;
    type Decoder = ProstCodec<E, D>;

    fn encoder(&mut self) -> Self::Encoder {
        ProstCodec::default()
    }

    fn decoder(&mut self) -> Self::Decoder {
        ProstCodec::default()
    }
}

impl<E: prost::Message, D> Encoder for ProstCodec<E, D> {
    type Item = E;
    type Error = Status;

    fn encode(&mut self, message: E, out: &mut EncodeBuf<'_>) -> Result<(), Status> {
        message.encode(out).map_err(|error| Status::internal(format!("a message cannot be written: {error}")))
    }
}

impl<E, D: prost::Message + Default> Decoder for ProstCodec<E, D> {
    type Item = D;
    type Error = Status;

    fn decode(&mut self, input: &mut DecodeBuf<'_>) -> Result<Option<D>, Status> {
        let read = D::decode(input);
        read.map(Some).map_err(|error| {
            Status::invalid_argument(format!("a message that proto/policy.proto does not have: {error}"))
        })
    }
}

#[cfg(test)]
mod tests {
    /// The fields of all messages in a .proto file, as `Message.field = number: type`.
    fn of_proto(text: &str) -> Vec<String> {
        let mut message = "";
        let mut fields = Vec::new();
        for line in text.lines().map(|line| line.split("//").next().unwrap_or("").trim()) {
            let words: Vec<&str> = line.trim_end_matches(';').split_whitespace().collect();
            match words[..] {
                ["message", name, ..] => message = name,
                ["repeated", kind, name, "=", number] => {
                    fields.push(format!("{message}.{name} = {number}: {kind} repeated"));
                }
                [kind, name, "=", number] if !kind.starts_with("syntax") => {
                    fields.push(format!("{message}.{name} = {number}: {kind}"));
                }
                _ => (),
            }
        }
        fields
    }

    /// The fields of all message structs in this file, in the same format.
    fn of_rust(text: &str) -> Vec<String> {
        let (mut message, mut told) = ("", (String::new(), ""));
        let mut fields = Vec::new();
        for line in text.lines().map(str::trim) {
            if let Some(rest) = line.strip_prefix("pub(crate) struct ") {
                message = rest.split([' ', '<']).next().unwrap_or("");
            } else if let Some(rest) = line.strip_prefix("#[prost(") {
                let (kind, number) = rest.rsplit_once(", tag = \"").expect("a number");
                let kind = kind.replace(" = \"vec\"", "").replace(',', "");
                told = (kind, number.trim_end_matches("\")]"));
            } else if let Some(rest) = line.strip_prefix("pub(crate) ")
                && !told.1.is_empty()
            {
                let name = rest.split(':').next().unwrap_or("");
                fields.push(format!("{message}.{name} = {}: {}", told.1, told.0));
                told.1 = "";
            }
        }
        fields
    }

    #[test]
    fn messages_are_those_of_the_proto_file() {
        let proto = of_proto(include_str!("../../proto/policy.proto"));
        let health = ["HealthCheckRequest.service = 1: string", "HealthCheckResponse.status = 1: int32"];
        let rust = of_rust(include_str!("messages.rs").split("#[cfg(test)]").next().expect("text"));
        assert_eq!(rust, [proto, health.map(String::from).to_vec()].concat());
        assert_eq!(rust.len(), 11 + 7 + 5 + 2);
        let service = include_str!("../../proto/policy.proto");
        for path in [super::DESCRIBE, super::EVALUATE, super::EVALUATE_STREAM] {
            let (package, method) = path.trim_start_matches('/').split_once(".Policy/").expect("a method");
            assert!(service.contains(&format!("package {package};")) && service.contains(&format!("rpc {method}(")));
        }
    }
}
