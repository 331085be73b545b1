//! Every parser of the house against bent input: a minute for all of them together, a minute each with `SLOW=1`.

use tesuji_testkit::{
    fuzz::{Target, run, run_bytes, run_large, time_for_each},
    needs::slow,
};

/// Name, target, seeds.
const TARGETS: &[(&str, Target, &[&str])] = &[
    (
        "chess::fen",
        tesuji_chess::fuzz::fen,
        &[
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b HAkq e3 12 34",
            "4k3/8/8/8/3pP3/8/8/1R2KR2 b FB e3",
        ],
    ),
    ("chess::uci_move", tesuji_chess::fuzz::uci_move, &["e2e4", "e1g1", "b7a8q", "d5c6", "e1h1"]),
    ("chess::san", tesuji_chess::fuzz::san, &["Nbd7+", "e8=Q#", "O-O-O", "exd6 e.p.", "g1-f3", "0-0"]),
    (
        "chess::sgs",
        tesuji_chess::fuzz::sgs,
        &[
            "game B fools_mate\ntitle example\nstart\nmoves g2g4 e7e5 f2f3 d8h4\nscores +1 -2 . #1\ntimes 1.5 2 . 3\n\n",
            "game ? -\nvariant chess960\ntag White A b\nend time\nboard 4k3/8/8/8/8/8/8/4K2R w K - 0 1\nmoves e1h1\ncomment 1 a\\nb\n",
        ],
    ),
    (
        "chess::pgn",
        tesuji_chess::fuzz::pgn,
        &[
            "[White \"a\"]\n[FEN \"4k3/8/8/8/8/8/8/4K2R w K - 0 1\"]\n\n1. O-O+ $1 {+0.31/12 0.052s, n=12345} Ke7 *\n",
            "1. e4 {[%eval 0.3] [%clk 0:01:00] x} e5 (1... c5!? 2. Nf3 (2. c3) 2... d6) 2. Nf3 ; rest\n1-0\n",
            "1. e4 {[%eval }0.;3] [%clk 0:01:00] x} e5 (1... c5!? 2. Nf3 (2. c3)\"2... d6) 0. Nf3 ; reqt\n1-0\n",
        ],
    ),
    (
        "shogi::sfen",
        tesuji_shogi::fuzz::sfen,
        &[
            "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
            "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1",
            "4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1",
        ],
    ),
    ("shogi::usi_move", tesuji_shogi::fuzz::usi_move, &["7g7f", "P*5e", "8h2b+", "5d6c", "G*8b"]),
    (
        "shogi::packed",
        tesuji_shogi::fuzz::packed,
        &[
            // A game in hcpe3 without moves, from a board full of pawns' zeros: bytes that are text.
            "XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX\0\0\x01\0",
            "XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX\x01\0\x01\0\x1e;\0\0\x01\0\x1e;\x05\0",
        ],
    ),
    (
        "shogi::samples",
        tesuji_shogi::fuzz::samples,
        &[
            "sfen startpos move 7g7f score 35 ply 1 result 1\nstartpos\n",
            "sfen 4k4/9/4P4/9/9/9/9/9/9 w G2r2b3g4s4n4l17p 9 score -32768 result -1\n",
        ],
    ),
    (
        "shogi::records",
        tesuji_shogi::fuzz::records,
        &[
            "V2.2\nN+a\nPI\n+\n+7776FU\nT12\n'** 30 -3334FU\n-3334FU,T6\n'*w\n%TORYO\n/\nPI82HI22KA\n-\n%KACHI\n",
            "手合割：平手\n先手：a\n*b\n   1 ７六歩(77)   ( 0:16/00:00:16)\n   2 ３四歩(33)\n   3 投了\n\n変化：2手\n   2 ８四歩(83)\n",
            "後手の持駒：歩二\n| ・ ・ ・ ・v玉 ・ ・ ・ ・|一\n先手の持駒：なし\n▲７六歩 △３四歩\n*評価値=30\nまで2手で中断\n",
        ],
    ),
    (
        "shogi::server",
        tesuji_shogi::fuzz::server,
        &[
            "Game_ID:a+b\nName+:a\nName-:b\nYour_Turn:-\nMax_Moves:256\nBEGIN Time\nTime_Unit:1sec\nTotal_Time:300\nByoyomi:0\n\
             Increment:10\nEND Time\nBEGIN Position\nPI\n+\n+7776FU,T12\n-3334FU,T6\nEND Position\n",
            "LOGIN:me OK\nSTART:a+b\n+7776FU,T12\n%TORYO,T3,'* 30\n#RESIGN\n#WIN\nREJECT:a by b\nLOGOUT:completed\n",
        ],
    ),
    ("chess::epd", tesuji_chess::fuzz::epd, &["4k3/8/8/8/8/8/8/4K2R w K - hmvc 1; bm O-O; id \"a\";\n# b\n"]),
    (
        "go::rules",
        tesuji_go::fuzz::rules,
        &[
            "9x7 japanese komi -0.5 handicap 2",
            "koSIMPLEscoreAREAtaxALLsui1button1whbN-1",
            "ko positional; tax=none 25",
        ],
    ),
    (
        "go::position",
        tesuji_go::fuzz::position,
        &[
            "5/2X2/1XO2/5/.X.O. w ko B1 passes 1 prisoners 3 5 komi 6.5 handicap 2",
            "7x9 aga-button handicap 3 w",
            "2/2 b button w aga-button tax all",
        ],
    ),
    ("go::moves", tesuji_go::fuzz::moves, &["D4", "pass", "z25", "t19", "j10"]),
    (
        "go::sgf",
        tesuji_go::fuzz::sgf,
        &[
            "(;FF[4]GM[1]CA[UTF-8]SZ[9]RU[Japanese]KM[6.5]HA[2]AB[cg][gc]PB[a]RE[W+R];W[ee]WL[12.5];B[])",
            "(;SZ[5:4]AB[aa:bb]PL[W]C[a \\] b\n];W[cc](;B[dc]TR[aa]LB[bb:x])(;AE[aa]C[+0.31/12 0.052s, n=5];B[dd]))",
            "(;GaMe[1]SiZe[3];Black[aa];White[tt]TE[1]NAG[2];;B[bb]B[cc]BL[-1])(;GM[2])(;POS[3/X2/3 w]END[illegal])",
        ],
    ),
    (
        "go::list",
        tesuji_go::fuzz::list,
        &["#go-games 1\n9\t6.5\tB+2.5\tjp\t9d\t1p\tfox\t2017-04-16\teegc----aa\n5x4\t?\tW+?\tGOE\t?\t?\t?\t?\taabb\n"],
    ),
    (
        "chess::labelled",
        tesuji_chess::fuzz::labelled,
        &[
            "4k3/8/8/8/8/8/8/4K2R b K - 0 1 | -31 | 0.5\n1-0 3 4k3/8/8/8/8/8/8/4K2R w K - 0 1\n",
            "4k3/8/8/8/8/8/8/4K2R w K - sm O-O; ce 3; c9 \"1-0\";\n1rk1r3/8/8/8/8/8/8/1RK1R3 w EBeb - 0 1 [0.5]\n",
        ],
    ),
    (
        "chess::cuts",
        tesuji_chess::fuzz::cuts,
        &["game W -\nstart\n  game B -\n[A \"b\"]\n\n1. e4 {x\n\n[B \"c\"]\n*\n\n[A \"c\"]\n\0\0\0\0"],
    ),
    (
        "protocol::uci_engine",
        tesuji_protocol::fuzz::uci_engine,
        &[
            "position fen 8/8/8/8/8/8/8/8 w - - 0 1 moves e2e4 e7e5",
            "go wtime 1000 btime 1000 winc 10 binc 10 movestogo 40 searchmoves e2e4 d2d4",
            "setoption name Move Overhead value 30",
            "go ponder infinite depth 3 nodes 5 mate 2 movetime 100 perft 4",
        ],
    ),
    (
        "protocol::uci_runner",
        tesuji_protocol::fuzz::uci_runner,
        &[
            "info depth 12 seldepth 20 multipv 1 score cp -31 upperbound nodes 12345 nps 1000 hashfull 3 pv e2e4 e7e5",
            "info score mate 3 wdl 1 2 997 string hello",
            "bestmove e2e4 ponder e7e5",
            "option name Style type combo default calm var calm var wild",
        ],
    ),
    (
        "protocol::usi_engine",
        tesuji_protocol::fuzz::usi_engine,
        &[
            "position sfen lnsgkgsnl/1r5b1/9/9/9/9/9/1B5R1/LNSGKGSNL b - 1 moves 7g7f 3c3d",
            "go ponder btime 1000 wtime 1000 byoyomi 500 binc 1 winc 2",
            "go mate 1000\ngo mate infinite\ngameover lose\nsetoption name USI_Hash value 64",
        ],
    ),
    (
        "protocol::usi_runner",
        tesuji_protocol::fuzz::usi_runner,
        &[
            "info depth 12 score mate -3 pv 7g7f 3c3d\ncheckmate G*5b 4a5b\nbestmove resign\nbestmove 7g7f ponder 3c3d",
            "option name Book type filename default <empty>\ninfo score mate + string a",
        ],
    ),
    (
        "protocol::gtp_engine",
        tesuji_protocol::fuzz::gtp_engine,
        &[
            "1 play b D4\n2 genmove w # x\n3 time_settings 60 5 1\ntime_left b 3 1\nkgs-time_settings byoyomi 1 2 3",
            "komi 7.5\nboardsize 19\nset_free_handicap D4 Q16\nknown_command play\nfinal_status_list dead",
        ],
    ),
    (
        "protocol::gtp_runner",
        tesuji_protocol::fuzz::gtp_runner,
        &["=1 2\n\n=2 1.0\n\n=3 A\n\n=4 play\nundo\n\n=5\n\n?6 no\n\n= D4\n\n?8 b\n\n= resign\n\n"],
    ),
    (
        "protocol::gtp_analysis",
        tesuji_protocol::fuzz::gtp_analysis,
        &[
            "=5\ninfo move D4 visits 3 winrate 0.5 scoreLead 1 prior 0.1 order 0 pv D4 Q16 pvVisits 3 1 rootInfo visits 4\n\n",
        ],
    ),
    (
        "protocol::kata_runner",
        tesuji_protocol::fuzz::kata_runner,
        &[
            "{\"id\":\"go 1\",\"isDuringSearch\":true,\"moveInfos\":[{\"move\":\"D4\",\"visits\":3,\"winrate\":0.5,\"pv\":[\"D4\"]}]}",
        ],
    ),
    (
        "protocol::xboard_engine",
        tesuji_protocol::fuzz::xboard_engine,
        &[
            "xboard\nprotover 2\nnew\nlevel 40 5:30 0.5\ntime 100\notim 200\nusermove e2e4\n?\nundo\nremove\nforce",
            "variant fischerandom\nsetboard 4k3/8/8/8/8/8/8/4K1R1 w G - 0 1\nO-O\nanalyze\nexit\noption Hash=3\nping 7\nquit",
        ],
    ),
    (
        "protocol::xboard_runner",
        tesuji_protocol::fuzz::xboard_runner,
        &[
            "feature ping=1 setboard=1 myname=\"A B\" option=\"C -combo a /// *b\" done=1\npong 1\nmove e2e4",
            "9 156 1084 48000 e2e4 e7e5\n1-0 {White mates}\nresign\noffer draw\nIllegal move: e2e4",
        ],
    ),
];

#[test]
fn parsers_survive_bent_input() {
    for (i, (name, target, seeds)) in TARGETS.iter().enumerate() {
        let inputs = run(name, *target, seeds, 0xF022 + i as u64, time_for_each(TARGETS.len().max(8)) / 4);
        println!("{name}: {inputs} inputs");
        assert!(inputs > 100, "{name} was hardly tried");
    }
}

/// Nested variations of 340 kB took 3 GB, and nothing fed these readers more than 4 kB.
#[test]
fn parsers_survive_large_input() {
    if !slow("a megabyte for every parser") {
        return;
    }
    for (i, (name, target, seeds)) in TARGETS.iter().enumerate() {
        let seeds: Vec<Vec<u8>> = seeds.iter().map(|seed| seed.as_bytes().to_vec()).collect();
        let large = run_large(name, *target, &seeds, 0x1A27 + i as u64);
        println!("{name}: {large} inputs of a megabyte");
        assert!(large > 5, "{name} was hardly tried");
    }
}

#[test]
fn files_of_nets_survive_bent_and_large_input() {
    use tesuji_nn::{Architecture, Stem, Weights};
    // As small as nets can be: inputs are cut at 4096 bytes.
    let mut net = Architecture::for_any_size("any", 1, 3, 0, 1);
    (net.value.hidden, net.ownership) = (1, false);
    let ours = Weights::random(net.clone(), 1).write();
    net.stem.push(Stem { first: 0, planes: 1, kernel: 1 });
    (net.value.pool, net.policy.pass, net.score) = (tesuji_nn::Pooling::Flat, false, false);
    let onnx = Weights::random(net, 2).to_onnx();
    assert!(ours.len() < 4096 && onnx.len() < 4096 && Weights::from_onnx(&onnx, "any").is_ok());
    let text = "name = 'n'\ngame = 'g'\nwidth = 16\nactivation = 'screlu'\nhidden = [3]\noutput_buckets = 8\n\
                [features]\nset = 's'\ninputs = 3\nactive_max = 2\n";
    let shape = tesuji_nn::nnue::Architecture::parse(text).unwrap();
    let weights = tesuji_nn::nnue::FloatWeights::random(&shape, 1);
    let nnue = tesuji_nn::nnue::Network::quantise(&shape, &weights).unwrap().write();
    let katago = tesuji_nn::fuzz::small_foreign_model();
    assert!(nnue.len() < 4096 && katago.len() < 4096);
    let time = time_for_each(TARGETS.len()) / 4;
    for (name, target, seeds) in [
        ("nn::weights", tesuji_nn::fuzz::weights as Target, vec![ours]),
        ("nn::onnx", tesuji_nn::fuzz::onnx, vec![onnx]),
        ("nn::nnue", tesuji_nn::fuzz::nnue, vec![nnue, text.as_bytes().to_vec()]),
        ("nn::foreign_model", tesuji_nn::fuzz::foreign_model, vec![katago.into_bytes()]),
    ] {
        let inputs = run_bytes(name, target, &seeds, 0xF0E7, time);
        let large = run_large(name, target, &seeds, 0x1A28);
        println!("{name}: {inputs} inputs, {large} of a megabyte");
        assert!(inputs > 100 && large > 5, "{name} was hardly tried");
    }
}

/// Games of training data as other programs write them.
#[test]
fn packed_games_survive_bent_and_large_input() {
    use tesuji_game::{By, Outcome, Value};
    use tesuji_record::{GameRecord, RecordFormat, SharedBuffer};
    let moves = [
        "e2e4", "d7d5", "e4d5", "c7c5", "d5c6", "g8f6", "c6b7", "c8g4", "b7a8q", "e7e5", "g1f3", "f8e7", "f1e2", "e8g8",
    ];
    let mut game = GameRecord::from_moves("", None, moves.map(str::to_string));
    for (node, cp) in game.main_nodes().into_iter().zip([30, -25, 40, 300, -700].into_iter().cycle()) {
        game.note_mut(node).value = Some(Value::cp(cp));
    }
    game.outcome = Some(Outcome::draw(By::Adjudication));
    let written = |format: &dyn RecordFormat| {
        let buffer = SharedBuffer::default();
        let mut writer = format.writer(Box::new(buffer.clone()));
        (0..3).for_each(|_| writer.write(&game).unwrap());
        writer.finish().unwrap();
        buffer.take()
    };
    let (viri, binpack) = (written(&tesuji_chess::packed::Viri), written(&tesuji_chess::packed::Binpack));
    for (name, target, seed) in [
        ("chess::viri", tesuji_chess::fuzz::viri as Target, viri),
        ("chess::binpack", tesuji_chess::fuzz::binpack, binpack),
    ] {
        let seeds = [seed];
        let inputs = run_bytes(name, target, &seeds, 0xB1A5, time_for_each(TARGETS.len()) / 4);
        let large = run_large(name, target, &seeds, 0x1A29);
        println!("{name}: {inputs} inputs, {large} of a megabyte");
        assert!(inputs > 50 && large > 5, "{name} was hardly tried");
    }
}

/// Weights and strengths, which people exchange: bent, and a megabyte of them in bounded time and memory.
#[test]
fn files_of_weights_survive_bent_and_large_input() {
    use tesuji_chess_eval::{GAME, TERMS, greko_start, material_weights, print_greko};
    let greko = print_greko(&greko_start()).into_bytes();
    let gammas =
        b"tesuji-gammas 1\nmade-by a\nfrom b\npattern 3 0000000000000007 2.50e-1\npattern 12 ffffffffffffffff 1e9\n";
    // A whole file is too long to be bent often; one without most of its terms is read as well.
    let whole = material_weights().to_json(GAME, TERMS).into_bytes();
    let start = TERMS.first().map_or("", |term| term.name);
    let short = format!(
        "{{\"format\": \"tesuji-weights 1\", \"game\": \"{GAME}\", \"origin\": {{\"from\": \"x\", \"seed\": 1}}, \
         \"terms\": {{\"{start}\": {{\"mg\": [1], \"eg\": [-2]}}}}}}"
    );
    let targets: [(&str, Target, Vec<Vec<u8>>); 3] = [
        ("chess_eval::weights", tesuji_chess_eval::fuzz::weights, vec![short.into_bytes(), whole]),
        ("chess_eval::greko", tesuji_chess_eval::fuzz::greko, vec![greko]),
        ("go_eval::gammas", tesuji_go_eval::fuzz::gammas, vec![gammas.to_vec()]),
    ];
    for (name, target, seeds) in targets {
        let inputs = run_bytes(name, target, &seeds, 0x3E17, time_for_each(TARGETS.len()) / 4);
        let large = run_large(name, target, &seeds, 0x1A26);
        println!("{name}: {inputs} inputs, {large} of a megabyte");
        assert!(inputs > 50 && large > 5, "{name} was hardly tried");
    }
}
