//! The configuration of a server: who may connect, and what a worker with a key of its own may do there.
//!
//! A worker writes under its own name alone. It makes no consumer, since the server would deliver messages of it to any subject, and asks
//! for no message as it was written of streams that it writes to, since an answer goes to any subject as well: both would let it write
//! results under another name.

use crate::key::{Key, OPERATOR};
use std::path::Path;

/// The certificate of a server, its key, and the keys of its workers.
pub(crate) struct Secured<'a> {
    pub(crate) certificate: &'a Path,
    pub(crate) key: &'a Path,
    pub(crate) workers: &'a [Key],
}

/// What begins the subject of answers to the holder of a key.
pub(crate) fn inbox_of(name: &str) -> String {
    format!("_INBOX_{name}")
}

/// Subjects that the worker with this name may write to: its own words and results, and questions to the server.
fn written_by(name: &str) -> Vec<String> {
    let info = |stream: &str| format!("$JS.API.STREAM.INFO.{stream}");
    let streams = ["TESUJI_UNITS", "KV_tesuji-control", "KV_tesuji-marks", "OBJ_tesuji-files", "OBJ_tesuji-chunks"];
    let fixed = [
        "$JS.API.INFO",
        // Units: taken, renewed and given back.
        "$JS.API.CONSUMER.INFO.TESUJI_UNITS.*",
        "$JS.API.CONSUMER.MSG.NEXT.TESUJI_UNITS.*",
        "$JS.ACK.TESUJI_UNITS.>",
        "$JS.ACK.*.*.TESUJI_UNITS.>",
        // Read inside an answer, not as it was written.
        "$JS.API.STREAM.MSG.GET.TESUJI_UNITS",
        "$JS.API.STREAM.MSG.GET.TESUJI_WORKERS",
        "$JS.API.STREAM.MSG.GET.OBJ_tesuji-chunks",
        // Written by coordinators alone, read by all.
        "$JS.API.DIRECT.GET.KV_tesuji-control.>",
        "$JS.API.DIRECT.GET.KV_tesuji-marks.>",
        "$JS.API.DIRECT.GET.OBJ_tesuji-files",
        "$JS.API.DIRECT.GET.OBJ_tesuji-files.>",
        // Results that are too large for a message, by SHA-256.
        "$O.tesuji-chunks.>",
        "$JS.API.STREAM.PURGE.OBJ_tesuji-chunks",
    ];
    let own = [format!("tesuji.worker.{name}"), format!("tesuji.log.{name}"), format!("tesuji.result.*.*.{name}")];
    own.into_iter().chain(streams.iter().map(|stream| info(stream))).chain(fixed.map(str::to_string)).collect()
}

/// Text as the configuration quotes it.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn list(subjects: &[String]) -> String {
    subjects.iter().map(|subject| quoted(subject)).collect::<Vec<_>>().join(", ")
}

/// Who may connect: everybody with the token, or those who have keys.
fn authorization(token: &str, secured: Option<&Secured<'_>>) -> String {
    let Some(Secured { certificate, key, workers }) = secured else {
        return format!("authorization {{ token: {} }}\n", quoted(token));
    };
    let user = |name: &str, secret: &str| format!("user: {}, password: {}", quoted(name), quoted(secret));
    let mut users = format!("    {{ {} }}\n", user(OPERATOR, token));
    for Key { name, secret, .. } in *workers {
        users += &format!(
            "    {{ {}, permissions: {{ publish: [{}], subscribe: [{}] }} }}\n",
            user(name, secret),
            list(&written_by(name)),
            list(&["tesuji.view".into(), format!("{}.>", inbox_of(name))]),
        );
    }
    let path = |path: &Path| quoted(&path.display().to_string());
    format!(
        "tls {{ cert_file: {}, key_file: {} }}\nauthorization {{\n  users: [\n{users}  ]\n}}\n",
        path(certificate),
        path(key)
    )
}

/// The configuration of the server.
pub(crate) fn configuration(
    (host, port): (&str, u16),
    token: &str,
    secured: Option<&Secured<'_>>,
    store: &Path,
    log: &Path,
) -> String {
    let path = |path: &Path| quoted(&path.display().to_string());
    format!(
        "# Written by `tesuji fleet up`, which writes it again when it starts.\n\
         listen: {}\n\
         server_name: tesuji\n\
         max_payload: 8MB\n\
         log_file: {}\n\
         logfile_size_limit: 10MB\n\
         {}\
         jetstream {{\n  store_dir: {}\n  sync_interval: always\n}}\n",
        quoted(&format!("{host}:{port}")),
        path(log),
        authorization(token, secured),
        path(store),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_with_quotes_stays_one_word() {
        let text = configuration(("127.0.0.1", 7), "t", None, Path::new("/a \"b\""), Path::new("/l"));
        assert!(text.contains("store_dir: \"/a \\\"b\\\"\"") && text.contains("sync_interval: always"), "{text}");
        assert!(text.contains("authorization { token: \"t\" }") && !text.contains("tls"), "{text}");
    }

    #[test]
    fn a_worker_writes_under_its_own_name_and_makes_no_consumer() {
        let key = |name: &str| Key {
            address: String::new(),
            name: name.into(),
            secret: format!("secret of {name}"),
            authority: String::new(),
        };
        let workers = [key("a"), key("b")];
        let secured = Secured { certificate: Path::new("/c"), key: Path::new("/k"), workers: &workers };
        let text = configuration(("h", 7), "t", Some(&secured), Path::new("/s"), Path::new("/l"));
        let line = text.lines().find(|line| line.contains("user: \"a\"")).unwrap();
        assert!(line.contains("\"tesuji.result.*.*.a\"") && line.contains("\"_INBOX_a.>\""), "{line}");
        for refused in
            ["tesuji.result.*.*.b", "tesuji.unit", "CONSUMER.CREATE", "DIRECT.GET.TESUJI", "$KV.", "$O.tesuji-files"]
        {
            assert!(!line.contains(refused), "{refused}: {line}");
        }
        assert!(text.contains("user: \"operator\", password: \"t\" }"), "{text}");
    }
}
