//! Logarithm and exponential from basic arithmetic, which rounds alike on every machine: the same seed gives the same bytes everywhere.

/// The natural logarithm of a positive, finite number.
pub(crate) fn ln(x: f64) -> f64 {
    debug_assert!(x > 0.0 && x.is_finite());
    let bits = x.to_bits();
    let mut exponent = (bits >> 52) as i64 - 1023;
    let mut mantissa = f64::from_bits(bits & 0x000f_ffff_ffff_ffff | 0x3ff0_0000_0000_0000);
    if mantissa > std::f64::consts::SQRT_2 {
        mantissa /= 2.0;
        exponent += 1;
    }
    // ln m = 2 artanh((m - 1) / (m + 1)), and the argument is at most 0.172.
    let t = (mantissa - 1.0) / (mantissa + 1.0);
    let (square, mut sum) = (t * t, 0.0);
    for k in (0..10).rev() {
        sum = sum * square + 1.0 / f64::from(2 * k + 1);
    }
    2.0 * t * sum + exponent as f64 * std::f64::consts::LN_2
}

/// e to the power of `x`; 0 and infinity beyond what a number holds.
pub(crate) fn exp(x: f64) -> f64 {
    if x > 709.0 {
        return f64::INFINITY;
    }
    if x < -708.0 {
        return 0.0;
    }
    let exponent = (x / std::f64::consts::LN_2).round();
    let rest = x - exponent * std::f64::consts::LN_2;
    let mut sum = 1.0;
    for k in (1..14).rev() {
        sum = 1.0 + sum * rest / f64::from(k);
    }
    sum * f64::from_bits(((exponent as i64 + 1023) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_agree_with_the_library() {
        for i in 1..20_000 {
            let x = f64::from(i) * 0.37;
            assert!((ln(x) - x.ln()).abs() < 1e-12, "ln {x}");
            let y = f64::from(i - 10_000) * 0.03;
            assert!((exp(y) / y.exp() - 1.0).abs() < 1e-12, "exp {y}");
        }
        assert_eq!((ln(1.0), exp(0.0)), (0.0, 1.0));
    }
}
