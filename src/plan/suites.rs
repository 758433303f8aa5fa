//! The cipher suites that rab can speak.

/// A cipher suite.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Suite {
    /// Its number in the IANA registry of TLS cipher suites.
    pub code: u16,
    /// OpenSSL's name, which is the one in ab's report.
    pub name: &'static str,
    /// The name in the IANA registry.
    pub iana: &'static str,
    /// Bits of its key.
    pub bits: u16,
    /// It belongs to TLS 1.3, otherwise to TLS 1.2.
    pub is_tls13: bool,
}

/// All suites, in OpenSSL's order of preference: a server that follows the client's wishes then chooses as for ab.
pub static SUITES: [Suite; 9] = [
    tls13(0x1302, "TLS_AES_256_GCM_SHA384", 256),
    tls13(0x1303, "TLS_CHACHA20_POLY1305_SHA256", 256),
    tls13(0x1301, "TLS_AES_128_GCM_SHA256", 128),
    tls12(0xc02c, "ECDHE-ECDSA-AES256-GCM-SHA384", "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384", 256),
    tls12(0xc030, "ECDHE-RSA-AES256-GCM-SHA384", "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384", 256),
    tls12(0xcca9, "ECDHE-ECDSA-CHACHA20-POLY1305", "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256", 256),
    tls12(0xcca8, "ECDHE-RSA-CHACHA20-POLY1305", "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256", 256),
    tls12(0xc02b, "ECDHE-ECDSA-AES128-GCM-SHA256", "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", 128),
    tls12(0xc02f, "ECDHE-RSA-AES128-GCM-SHA256", "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", 128),
];

/// In TLS 1.3 both names are the same.
const fn tls13(code: u16, name: &'static str, bits: u16) -> Suite {
    Suite { code, name, iana: name, bits, is_tls13: true }
}

const fn tls12(code: u16, name: &'static str, iana: &'static str, bits: u16) -> Suite {
    Suite { code, name, iana, bits, is_tls13: false }
}

impl Suite {
    /// The suite of a registered number.
    pub fn by_code(code: u16) -> Option<&'static Self> {
        SUITES.iter().find(|suite| suite.code == code)
    }

    /// The suite of this name, OpenSSL's or the registry's.
    pub(super) fn by_name(name: &str) -> Option<&'static Self> {
        SUITES.iter().find(|suite| suite.name == name || suite.iana == name)
    }
}
