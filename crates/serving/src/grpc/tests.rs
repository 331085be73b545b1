//! Requests of gRPC clients that are not ours, and the errors they get.

use super::{REQUEST_BYTES_MAX, messages::*};
use crate::{Protocol, Remote, Server, ServerOptions};
use http::uri::PathAndQuery;
use std::{net::TcpListener, sync::Arc, time::Duration};
use tesuji_nn::{Architecture, Net, Service, Weights};
use tokio::{runtime::Runtime, sync::mpsc, time::sleep};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{
    Code, Request, Status,
    client::Grpc,
    transport::{Channel, Endpoint},
};

/// A net of 7 planes for 5x5, a server of it for both protocols, and somewhere to wait.
fn served() -> (Server, Vec<String>, Runtime) {
    let architecture = Architecture::for_any_size("go-1", 7, 5, 1, 16);
    let net = Arc::new(Net::new(&Weights::random(architecture, 3)).unwrap());
    let doors = [Protocol::Plain, Protocol::Grpc].map(|it| (it, TcpListener::bind("127.0.0.1:0").unwrap()));
    let server = Server::start(Arc::new(net), doors.into(), ServerOptions::default()).unwrap();
    let addresses = server.addresses();
    (server, addresses, Runtime::new().unwrap())
}

async fn channel(address: &str) -> Grpc<Channel> {
    let place = Protocol::of(address).unwrap().1;
    let endpoint = Endpoint::from_shared(format!("http://{place}")).unwrap().initial_stream_window_size(65_535);
    let mut grpc = Grpc::new(endpoint.connect().await.unwrap());
    grpc.ready().await.unwrap();
    grpc
}

/// Calls a method that answers once.
async fn call<Q, A>(address: &str, path: &'static str, question: Q) -> Result<A, Status>
where
    Q: prost::Message + 'static,
    A: prost::Message + Default + 'static,
{
    let (codec, path) = (ProstCodec::<Q, A>::default(), PathAndQuery::from_static(path));
    channel(address).await.unary(Request::new(question), path, codec).await.map(tonic::Response::into_inner)
}

/// N positions that are right.
fn right(count: u32) -> Positions {
    let planes = (0..count * 7 * 25).map(|n| (n % 9) as f32 / 4.0 - 1.0).collect();
    Positions { id: 77, height: 5, width: 5, count, features: "go-1".into(), planes, packed: Vec::new() }
}

#[test]
fn a_server_says_what_it_serves() {
    let (_server, addresses, runtime) = served();
    runtime.block_on(async {
        let address = &addresses[1];
        let net: Description = call(address, DESCRIBE, DescribeRequest {}).await.unwrap();
        assert_eq!((net.features.as_str(), net.planes, net.height, net.width), ("go-1", 7, 5, 5));
        assert!(net.any_size && net.positions_max == 256 && net.actions == 26, "{net:?}");
        assert_eq!(net.request_bytes_max as usize, REQUEST_BYTES_MAX);
        let whole: Architecture = serde_json::from_str(&net.architecture).unwrap();
        assert_eq!(whole, Architecture::for_any_size("go-1", 7, 5, 1, 16));
        for service in ["", SERVICE] {
            let well = call(address, HEALTH_CHECK, HealthCheckRequest { service: service.into() }).await;
            let well: HealthCheckResponse = well.unwrap();
            assert_eq!(well.status, SERVING);
        }
        let other: Result<HealthCheckResponse, _> =
            call(address, HEALTH_CHECK, HealthCheckRequest { service: "shop".into() }).await;
        assert_eq!(other.unwrap_err().code(), Code::NotFound);
        let none: Result<Outputs, _> = call(address, "/tesuji.policy.v1.Policy/Guess", right(1)).await;
        let none = none.unwrap_err();
        assert_eq!(none.code(), Code::Unimplemented);
        assert!(none.message().contains("/tesuji.policy.v1.Policy/Guess is not served here"), "{none}");
    });
}

#[test]
fn wrong_questions_are_told_what_is_wrong() {
    let (_server, addresses, runtime) = served();
    let cut = Positions { planes: vec![0.0; 7], ..right(2) };
    let mut packed = Vec::new();
    crate::wire::pack(25, &right(1).planes, &mut packed);
    let bits = |packed: &[u8]| Positions { planes: Vec::new(), packed: packed.into(), ..right(1) };
    let cases = [
        (
            Positions { features: "go-9".into(), ..right(1) },
            "FailedPrecondition the net reads features `go-1`, not `go-9`",
        ),
        (Positions { height: 99, ..right(1) }, "FailedPrecondition the net is for boards of"),
        (Positions { count: 0, ..right(1) }, "InvalidArgument 0 positions in a message; 1 to 256 are expected"),
        (right(257), "InvalidArgument 257 positions in a message; 1 to 256 are expected"),
        (cut, "InvalidArgument 7 numbers in `planes`; 2 positions of 7 planes of 5x5 are 350"),
        (
            Positions { packed: vec![0], ..right(1) },
            "InvalidArgument `planes` and `packed` together; one of them is expected",
        ),
        (bits(&packed[1..]), "InvalidArgument packed planes: "),
        (bits(&packed[..packed.len() - 1]), "InvalidArgument packed planes: "),
        (bits(&[&packed[..], &[1]].concat()), "InvalidArgument packed planes: 1 bytes too many"),
        (bits(&vec![0; REQUEST_BYTES_MAX]), "ResourceExhausted a message of more than 16777216 bytes: ask about fewer"),
    ];
    runtime.block_on(async {
        let said: Outputs = call(&addresses[1], EVALUATE, right(3)).await.unwrap();
        assert_eq!((said.id, said.policy.len(), said.value.len()), (77, 3 * 26, 3));
        let small: Outputs = call(&addresses[1], EVALUATE, bits(&packed)).await.unwrap();
        assert_eq!((&small.policy[..], small.value[0]), (&said.policy[..26], said.value[0]), "packed or not");
        for (question, expect) in cases {
            let said: Result<Outputs, _> = call(&addresses[1], EVALUATE, question).await;
            let status = said.unwrap_err();
            let told = format!("{:?} {}", status.code(), status.message());
            assert!(told.starts_with(expect), "{told}");
        }
    });
}

#[test]
fn a_client_that_does_not_read_is_not_read_from() {
    const QUESTIONS: u64 = 300;
    let (server, addresses, runtime) = served();
    let (question, questions) = mpsc::channel(1);
    runtime.spawn(async move {
        for id in 0..QUESTIONS {
            question.send(Positions { id, ..right(100) }).await.unwrap();
        }
    });
    runtime.block_on(async {
        let (codec, path) = (ProstCodec::<Positions, Outputs>::default(), PathAndQuery::from_static(EVALUATE_STREAM));
        let question = Request::new(ReceiverStream::new(questions));
        let mut answers = channel(&addresses[1]).await.streaming(question, path, codec).await.unwrap().into_inner();
        // Until nothing moves any more; it is far from all.
        let mut before = 0;
        loop {
            sleep(Duration::from_millis(300)).await;
            match server.counts().so_far().positions / 100 {
                now if now == before && now > 0 => break,
                now => before = now,
            }
        }
        assert!((1..100).contains(&before), "{before} questions were answered ahead");
        for id in 0..QUESTIONS {
            assert_eq!(answers.message().await.unwrap().unwrap().id, id);
        }
        assert_eq!(answers.message().await.unwrap(), None);
    });
    assert_eq!(server.counts().so_far().positions, QUESTIONS * 100);
}

#[test]
fn a_server_that_stops_tells_its_clients() {
    let (server, addresses, runtime) = served();
    runtime.block_on(async {
        let (question, questions) = mpsc::channel(1);
        let (codec, path) = (ProstCodec::<Positions, Outputs>::default(), PathAndQuery::from_static(EVALUATE_STREAM));
        let questions = Request::new(ReceiverStream::new(questions));
        let mut answers = channel(&addresses[1]).await.streaming(questions, path, codec).await.unwrap().into_inner();
        question.send(right(1)).await.unwrap();
        assert_eq!(answers.message().await.unwrap().unwrap().id, 77);
        std::thread::spawn(move || drop(server));
        let status = answers.message().await.unwrap_err();
        assert_eq!(status.code(), Code::Unavailable);
        assert_eq!(status.message(), "the policy server is stopping; ask again later");
    });
}

/// Checks the error of our client when it finds another service at an address.
#[track_caller]
fn check_refused(address: &str, expect: &str) {
    let place = Protocol::of(address).unwrap().1;
    let error = Remote::connect(address).expect_err("an error").to_string();
    let error = error.strip_prefix(&format!("the policy server at {place}: ")).expect("its name").to_string();
    assert!(error.starts_with(expect), "{error}");
}

#[test]
fn servers_that_speak_otherwise_are_told_apart() {
    let (_server, addresses, runtime) = served();
    let place = |n: usize| Protocol::of(&addresses[n]).unwrap().1;
    check_refused(&format!("grpc://{}", place(0)), "it does not speak gRPC; a policy server's plain socket is tcp://");
    check_refused(&format!("tcp://{}", place(1)), "it does not greet as a policy server of tesuji");
    check_refused("grpc://127.0.0.1", "`127.0.0.1` is no address; host:port is expected");
    check_refused("grpc://127.0.0.1:1", "Connection refused");
    // Nor does it matter where the question comes from.
    let address = addresses[1].clone();
    runtime.block_on(async move {
        let remote = Remote::connect(&address).unwrap();
        let mut session = remote.session(5, 5, 1).unwrap();
        assert_eq!(session.run(&right(1).planes, 1).unwrap().value.len(), 1);
    });
}
