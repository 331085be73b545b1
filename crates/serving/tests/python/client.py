"""A client of the policy server that knows nothing but proto/policy.proto.

Arguments: the folder of the .proto file and host:port. Reads {"planes": [...], "packed": "hex", "count": n} from stdin and
prints what it heard as JSON. Exits with 3 where Python has no grpcio-tools.
"""
import json
import struct
import sys

try:
    import grpc
    import grpc_tools  # noqa: F401  (compiles the .proto file)
except ImportError:
    sys.exit(3)

folder, address = sys.argv[1:]
sys.path.insert(0, folder)
words, services = grpc.protos_and_services("policy.proto")
asked = json.load(sys.stdin)
sizes = {"height": 5, "width": 5, "count": asked["count"]}
planes = {**sizes, "planes": asked["planes"]}
packed = {**sizes, "packed": bytes.fromhex(asked["packed"])}


def numbers(outputs):
    parts = (outputs.policy, outputs.value, outputs.ownership, outputs.score)
    return [struct.pack(f"<{len(part)}f", *part).hex() for part in parts]


def refusal(**question):
    try:
        stub.Evaluate(words.Positions(**question), timeout=10)
        return None
    except grpc.RpcError as error:
        return [error.code().name, error.details()]


with grpc.insecure_channel(address) as channel:
    stub = services.PolicyStub(channel)
    net = stub.Describe(words.DescribeRequest(), timeout=10)
    stream = stub.EvaluateStream(iter([words.Positions(id=n, features=net.features, **packed) for n in range(50)]), timeout=60)
    answers = [(answer.id, numbers(answer)) for answer in stream]
    told = {
        "features": net.features,
        "bounds": [net.planes, net.height, net.width, net.positions_max, net.request_bytes_max],
        "architecture": json.loads(net.architecture),
        "unary": numbers(stub.Evaluate(words.Positions(**planes), timeout=10)),
        "stream": [id for id, _ in answers],
        "alike": all(heard == answers[0][1] for _, heard in answers),
        "first": answers[0][1],
        "other features": refusal(features="go-9", **planes),
        "too few": refusal(**sizes),
        "too long": refusal(height=5, width=5, count=1, packed=bytes(17 << 20)),
    }
print(json.dumps(told))
