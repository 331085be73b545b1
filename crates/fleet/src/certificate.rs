//! Certificates of a fleet beyond loopback: an authority for this fleet alone, and the server's certificate, signed by it. They hold for ever:
//! no clock of a machine that is wrong shuts it out.

use crate::{FleetError, key::write_secret};
use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose,
};
use std::{fs, path::Path};

/// The authority's certificate, which keys hold.
const AUTHORITY: &str = "ca.pem";
/// The key of the authority.
const AUTHORITY_KEY: &str = "ca.key";
/// The server's certificate and its key.
pub(crate) const SERVER: [&str; 2] = ["server.pem", "server-key.pem"];

fn fault(error: &rcgen::Error) -> FleetError {
    FleetError::Start(format!("no certificate could be made: {error}"))
}

/// The authority as it is described, in the same words at each start.
fn authority() -> Result<CertificateParams, FleetError> {
    let mut params = CertificateParams::new(Vec::<String>::new()).map_err(|error| fault(&error))?;
    params.distinguished_name = named("tesuji fleet");
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    Ok(params)
}

fn named(name: &str) -> DistinguishedName {
    let mut names = DistinguishedName::new();
    names.push(DnType::CommonName, name);
    names
}

/// Makes the certificates of a server that is reached under `hosts` (names and addresses) in its folder; the authority's as PEM. The authority
/// stays what it was at an earlier start, so that keys go on to hold.
pub(crate) fn make_certificates(folder: &Path, hosts: &[String]) -> Result<String, FleetError> {
    let (place, key_place) = (folder.join(AUTHORITY), folder.join(AUTHORITY_KEY));
    let known = fs::read_to_string(&key_place).ok().and_then(|text| KeyPair::from_pem(&text).ok());
    let (key, pem) = match (known, fs::read_to_string(&place)) {
        (Some(key), Ok(pem)) => (key, pem),
        _ => {
            let key = KeyPair::generate().map_err(|error| fault(&error))?;
            let pem = authority()?.self_signed(&key).map_err(|error| fault(&error))?.pem();
            write_secret(&key_place, &key.serialize_pem())?;
            write_secret(&place, &pem)?;
            (key, pem)
        }
    };
    let issuer = Issuer::new(authority()?, key);
    let mut params = CertificateParams::new(hosts.to_vec()).map_err(|error| fault(&error))?;
    params.distinguished_name = named("server of a tesuji fleet");
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    let server_key = KeyPair::generate().map_err(|error| fault(&error))?;
    let signed = params.signed_by(&server_key, &issuer).map_err(|error| fault(&error))?;
    write_secret(&folder.join(SERVER[0]), &signed.pem())?;
    write_secret(&folder.join(SERVER[1]), &server_key.serialize_pem())?;
    Ok(pem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_authority_stays_and_the_server_gets_new_names() {
        let folder = tempfile::tempdir().unwrap();
        let first = make_certificates(folder.path(), &["127.0.0.1".into()]).unwrap();
        assert!(first.starts_with("-----BEGIN CERTIFICATE-----"));
        let server = fs::read_to_string(folder.path().join(SERVER[0])).unwrap();
        assert_eq!(make_certificates(folder.path(), &["host".into()]).unwrap(), first);
        assert_ne!(fs::read_to_string(folder.path().join(SERVER[0])).unwrap(), server);
        assert!(make_certificates(folder.path(), &["no host\u{e4}".into()]).is_err());
    }
}
