//! Days and times of day in universal time, as records write them.

use std::time::{SystemTime, UNIX_EPOCH};

/// The day as PGN has it: `2026.11.21`.
///
/// # Examples
/// ```
/// assert_eq!(tesuji_arena::date_text(std::time::UNIX_EPOCH), "1970.01.01");
/// ```
pub fn date_text(time: SystemTime) -> String {
    let Date { year, month, day } = date(time);
    format!("{year}.{month:02}.{day:02}")
}

/// Day and time as ISO 8601 has it: `2026-11-21T07:30:00Z`.
///
/// # Examples
/// ```
/// assert_eq!(tesuji_arena::time_text(std::time::UNIX_EPOCH), "1970-01-01T00:00:00Z");
/// ```
pub fn time_text(time: SystemTime) -> String {
    let (Date { year, month, day }, seconds) = (date(time), seconds(time));
    format!("{year}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", seconds / 3_600 % 24, seconds / 60 % 60, seconds % 60)
}

fn seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

/// A day: its year, its month from 1, its day of the month from 1.
struct Date {
    year: u64,
    month: u64,
    day: u64,
}

/// A day of the proleptic Gregorian calendar, counted in years that begin in March (Howard Hinnant,
/// "chrono-Compatible Low-Level Date Algorithms", 2013).
fn date(time: SystemTime) -> Date {
    let z = seconds(time) / 86_400 + 719_468;
    let (era, day) = (z / 146_097, z % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day_of_year = day - (365 * year + year / 4 - year / 100);
    let march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * march + 2) / 5 + 1;
    let month = if march < 10 { march + 3 } else { march - 9 };
    Date { year: year + era * 400 + u64::from(month <= 2), month, day }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn days_have_dates() {
        let at = |seconds| UNIX_EPOCH + Duration::from_secs(seconds);
        assert_eq!(
            [0, 951_782_400, 951_868_800, 1_709_164_800, 4_102_444_799].map(|s| date_text(at(s))),
            ["1970.01.01", "2000.02.29", "2000.03.01", "2024.02.29", "2099.12.31"]
        );
        assert_eq!(time_text(at(1_709_164_800 + 3_723)), "2024-02-29T01:02:03Z");
    }
}
