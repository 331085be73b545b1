# Runs ./check on a bare Debian with Rust. Untested where it was written: no container engine was at hand.
#   docker build -t tesuji-check . && docker run --rm tesuji-check
FROM rust:1.95-bookworm
RUN apt-get update && apt-get install -y --no-install-recommends git stockfish gnugo cmake python3-venv xz-utils bzip2 valgrind \
    && rm -rf /var/lib/apt/lists/* \
    && rustup component add rustfmt clippy \
    && cargo install --locked cargo-nextest
WORKDIR /tesuji
COPY . .
CMD ["./check"]
