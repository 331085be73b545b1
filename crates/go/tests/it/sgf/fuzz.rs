//! The readers of records against bent input.

use std::time::Duration;
use tesuji_go::fuzz;
use tesuji_testkit::fuzz::run;

/// Files with something of everything.
pub const SEEDS: [&str; 6] = [
    "(;FF[4]GM[1]CA[UTF-8]SZ[9]RU[Japanese]KM[6.5]HA[2]AB[cg][gc]PB[a]DT[2016-03-09]RE[W+R];W[ee]WL[12.5];B[])",
    "(;SZ[5:4]AB[aa:bb]AW[dd]PL[W]C[a \\] b\n];W[cc](;B[dc]TR[aa]LB[bb:x])(;AE[aa]AW[ab]C[+0.31/12 0.052s, n=5];B[dd]))",
    "(;GaMe[1]SiZe[3];Black[aa];White[tt]TE[1]NAG[2];;B[bb]B[cc]BL[-1]OB[3])(;GM[2])(;FF[4];W[zz])",
    "junk (;POS[3/X2/3 w passes 1 prisoners 1 2 komi 0.5]SZ[3]END[illegal]RE[B+F]TAG[x:y][a\\:b:c];PL[B]POS[3/3/3 b])",
    "(;CA[Shift_JIS]PB[\u{8868}]C[[%sgf TR[aa]]]KM[375]RU[house]RE[who];B[aa]C[;n=5\nx [%sgf N[a]]];B[bb])",
    "(;SZ[2];B[aa];W[ba];B[bb];W[ba];B[ab];W[aa](;B[];W[];B[])(;B[zz];W[a",
];

/// Lines of lists.
pub const LIST_SEEDS: [&str; 2] = [
    "#go-games 1\n9\t6.5\tB+2.5\tjp\t9d\t1p\tfox\t2017-04-16\teegc----aa\n",
    "5x4\t?\tW+?\tGOE\t?\t?\t?\t?\taabb\n\n19\t7.5\t0\ttromp-taylor\ta\tb\tc\td\t\n",
];

fn time() -> Duration {
    if tesuji_testkit::needs::is_slow() { Duration::from_secs(60) } else { Duration::from_secs(2) }
}

#[test]
fn games_survive_bent_input() {
    let inputs = run("go::sgf", fuzz::sgf, &SEEDS, 0x56F, time());
    println!("go::sgf: {inputs} inputs");
}

#[test]
fn lists_survive_bent_input() {
    let inputs = run("go::list", fuzz::list, &LIST_SEEDS, 0x115, time() / 2);
    println!("go::list: {inputs} inputs");
}
