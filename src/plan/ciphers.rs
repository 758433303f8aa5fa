//! OpenSSL's cipher strings (`-Z`).
//!
//! In comes a string such as `ECDHE+AESGCM:!aRSA`, out goes what it selects of the suites that rab has. The string is
//! first carried out as OpenSSL does, on all TLS 1.2 suites that OpenSSL knows, so that "nobody knows this name" can
//! be told from "OpenSSL has it, rustls has not". Beyond OpenSSL, names of the IANA registry are taken, TLS 1.3 names
//! among them.

use super::Suite;

/// What OpenSSL knows; the columns are explained in the file.
const KNOWN: &str = include_str!("ciphers.txt");

/// What a cipher string selects.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Selection {
    /// The TLS 1.2 suites that rab has, in the order of the string.
    pub(super) tls12: Vec<Suite>,
    /// The TLS 1.3 suites that are named, in the order of the string.
    pub(super) tls13: Vec<Suite>,
    /// TLS 1.2 suites that OpenSSL would offer as well, by OpenSSL's names.
    pub(super) lacking: Vec<&'static str>,
    /// Those of them that were asked for by name.
    pub(super) lacking_by_name: Vec<&'static str>,
}

/// One suite of OpenSSL.
#[derive(Debug, Clone, Copy)]
struct Cipher {
    name: &'static str,
    iana: &'static str,
    version: &'static str,
    exchange: &'static str,
    authentication: &'static str,
    encryption: &'static str,
    bits: u16,
    mac: &'static str,
    classes: &'static str,
}

/// A suite while a string is carried out.
struct Entry {
    cipher: Cipher,
    /// Selected so far.
    active: bool,
    /// Asked for by its own name.
    named: bool,
}

/// Carries out a string. Unknown words select nothing, as in OpenSSL.
pub(super) fn select(string: &str) -> Selection {
    let mut entries: Vec<Entry> =
        known().map(|cipher| Entry { cipher, active: false, named: false }).collect();
    let mut tls13 = Vec::new();
    for item in items(string) {
        match Suite::by_name(item).filter(|suite| suite.is_tls13) {
            Some(suite) if !tls13.contains(suite) => tls13.push(*suite),
            Some(_) => {}
            None => carry_out(&mut entries, item),
        }
    }
    let mut selection = Selection { tls13, ..Selection::default() };
    for entry in entries.iter().filter(|entry| entry.active) {
        if let Some(suite) = Suite::by_name(entry.cipher.name) {
            selection.tls12.push(*suite);
        } else {
            selection.lacking.push(entry.cipher.name);
            selection.lacking_by_name.extend(entry.named.then_some(entry.cipher.name));
        }
    }
    selection
}

/// The items of a string. A separator stands between them, or the sign of a command begins the next: OpenSSL reads
/// `DEFAULT@SECLEVEL=0` and `HIGH!AES128` as two each. `-` is part of most names, and `+` joins.
fn items(string: &str) -> impl Iterator<Item = &str> {
    string.split([':', ',', ' ', ';']).flat_map(|mut part| {
        std::iter::from_fn(move || {
            let next = part.char_indices().skip(1).find(|(_, sign)| matches!(sign, '@' | '!'));
            let (item, rest) = part.split_at(next.map_or(part.len(), |(place, _)| place));
            part = rest;
            (!item.is_empty()).then_some(item)
        })
    })
}

/// One item: a command (none, `+`, `-`, `!`, `@`) and words joined by `+`, all of which must hold.
fn carry_out(entries: &mut Vec<Entry>, item: &str) {
    match item.as_bytes()[0] {
        b'!' => entries.retain(|entry| !entry.cipher.is(&item[1..])),
        b'-' => {
            for entry in entries.iter_mut().filter(|entry| entry.cipher.is(&item[1..])) {
                entry.active = false;
            }
        }
        b'+' => to_the_end(entries, |entry| entry.active && entry.cipher.is(&item[1..])),
        b'@' if item == "@STRENGTH" => entries.sort_by_key(|entry| std::cmp::Reverse(entry.cipher.bits)),
        // A security level is about certificates, which are all taken.
        b'@' => {}
        _ => {
            to_the_end(entries, |entry| !entry.active && entry.cipher.is(item));
            for entry in entries.iter_mut().filter(|entry| entry.cipher.is(item)) {
                entry.active = true;
                entry.named |= entry.cipher.name == item || entry.cipher.iana == item;
            }
        }
    }
}

/// Moves some entries behind all others, in their order.
fn to_the_end(entries: &mut Vec<Entry>, moves: impl Fn(&Entry) -> bool) {
    let (last, first): (Vec<Entry>, Vec<Entry>) = entries.drain(..).partition(moves);
    entries.extend(first.into_iter().chain(last));
}

/// The table of what OpenSSL knows.
fn known() -> impl Iterator<Item = Cipher> {
    let rows = KNOWN.lines().filter(|line| !line.starts_with('#'));
    rows.map(|row| {
        let mut columns = row.split(' ');
        let mut next = || columns.next().unwrap_or_default();
        Cipher {
            name: next(),
            iana: next(),
            version: next(),
            exchange: next(),
            authentication: next(),
            encryption: next(),
            bits: next().parse().unwrap_or_default(),
            mac: next(),
            classes: next(),
        }
    })
}

impl Cipher {
    /// Whether all words joined by `+` hold for it.
    fn is(&self, words: &str) -> bool {
        words.split('+').all(|word| word == self.name || word == self.iana || self.has(word))
    }

    /// Whether one of OpenSSL's keywords holds for it.
    fn has(&self, word: &str) -> bool {
        let (exchange, authentication) = (self.exchange, self.authentication);
        let is_anonymous = authentication == "None";
        let is_plain = self.encryption == "None";
        let is_in = |class: char| self.classes.contains(class);
        match word {
            "ALL" => !is_plain,
            "COMPLEMENTOFALL" | "eNULL" | "NULL" => is_plain,
            "DEFAULT" => is_in('D'),
            "COMPLEMENTOFDEFAULT" => !is_in('D') && !is_plain,
            "HIGH" => is_in('H'),
            "MEDIUM" => is_in('M'),
            "kRSA" => exchange == "RSA",
            "RSA" => exchange == "RSA" && authentication == "RSA",
            "kDHE" | "kEDH" | "DH" => exchange == "DH",
            "DHE" | "EDH" => exchange == "DH" && !is_anonymous,
            "kECDHE" | "kEECDH" | "ECDH" => exchange == "ECDH",
            "ECDHE" | "EECDH" => exchange == "ECDH" && !is_anonymous,
            "ADH" => exchange == "DH" && is_anonymous,
            "AECDH" => exchange == "ECDH" && is_anonymous,
            "PSK" => exchange.ends_with("PSK"),
            "kPSK" | "kRSAPSK" | "kDHEPSK" | "kECDHEPSK" | "kSRP" => exchange == &word[1..],
            "SRP" => exchange == "SRP",
            "aNULL" => is_anonymous,
            "aRSA" | "aECDSA" | "aDSS" | "aPSK" | "aSRP" => authentication == &word[1..],
            "ECDSA" | "DSS" => authentication == word,
            _ => self.is_protected_by(word),
        }
    }

    /// The keywords about encryption, its integrity, and the version.
    fn is_protected_by(&self, word: &str) -> bool {
        let encryption = self.encryption.to_ascii_uppercase();
        match word {
            "AES128" | "AES256" | "CAMELLIA128" | "CAMELLIA256" | "ARIA128" | "ARIA256" => {
                let (family, bits) = word.split_at(word.len() - 3);
                encryption.starts_with(family) && bits.parse() == Ok(self.bits)
            }
            "AES" | "CAMELLIA" | "ARIA" | "AESCCM" | "CHACHA20" => encryption.starts_with(word),
            "AESGCM" | "ARIAGCM" | "AESCCM8" => encryption == word,
            "SHA" | "SHA1" => self.mac == "SHA1",
            "MD5" | "SHA256" | "SHA384" => self.mac == word,
            "SSLv3" | "TLSv1" | "TLSv1.2" => self.version == word,
            "TLSv1.0" => self.version == "TLSv1",
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The suites of TLS 1.2 that a string selects, shortened: E for ECDSA or R for RSA, and the cipher.
    fn selected(string: &str) -> String {
        let short = |suite: &Suite| {
            let name =
                suite.name.trim_start_matches("ECDHE-").replace("-GCM-SHA256", "").replace("-GCM-SHA384", "");
            name.replace("ECDSA-", "E")
                .replace("RSA-", "R")
                .replace("CHACHA20-POLY1305", "C")
                .replace("AES", "")
        };
        select(string).tls12.iter().map(short).collect::<Vec<_>>().join(" ")
    }

    /// What `openssl ciphers -s -tls1_2` prints, as far as rab has it.
    #[test]
    fn strings_select_and_order_as_openssl_does() {
        for (string, expected) in [
            ("HIGH:!AES256", "EC RC E128 R128"),
            ("AES128:HIGH", "E128 R128 E256 R256 EC RC"),
            ("ECDHE+AESGCM", "E256 R256 E128 R128"),
            ("ECDHE+AESGCM:+AES256", "E128 R128 E256 R256"),
            ("CHACHA20:AESGCM", "EC RC E256 R256 E128 R128"),
            ("ALL:-AES256:AESGCM", "EC RC E128 R128 E256 R256"),
            ("AES128:AES256:@STRENGTH", "E256 R256 E128 R128"),
            ("kRSA:aECDSA", "E256 EC E128"),
            ("RSA+HIGH:ECDHE", "E256 R256 EC RC E128 R128"),
            ("DEFAULT:!aRSA", "E256 EC E128"),
            ("ECDSA+AES:aRSA", "E256 E128 R256 RC R128"),
            ("TLSv1.2:+ECDSA", "R256 RC R128 E256 EC E128"),
            ("DEFAULT", "E256 R256 EC RC E128 R128"),
            ("ECDHE-RSA-AES128-GCM-SHA256,ECDHE-RSA-AES256-GCM-SHA384", "R128 R256"),
            ("TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256 NOPE", "R128"),
            ("!aRSA:HIGH", "E256 EC E128"),
            ("HIGH:!HIGH", ""),
            ("@SECLEVEL=0:AESGCM+aRSA", "R256 R128"),
            ("DEFAULT@SECLEVEL=0", "E256 R256 EC RC E128 R128"),
            ("HIGH!AES128", "E256 R256 EC RC"),
            ("AES128:AES256@STRENGTH", "E256 R256 E128 R128"),
        ] {
            assert_eq!(selected(string), expected, "{string}");
        }
    }

    #[test]
    fn what_rustls_lacks_is_told_from_what_nobody_knows() {
        let lacking = select("AES128-SHA:DHE-RSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256");
        assert_eq!(lacking.lacking_by_name, ["AES128-SHA", "DHE-RSA-AES128-GCM-SHA256"]);
        assert_eq!(lacking.tls12.len(), 1);
        assert!(select("kRSA").lacking.contains(&"AES256-GCM-SHA384"));
        assert_eq!(select("kRSA").lacking_by_name, [""; 0]);
        for unknown in
            ["NO-SUCH-CIPHER", "ecdhe", "", "!aNULL", "ECDHE+NOPE", "-HIGH", "@STRENGTH", " ", ":", "+", "!"]
        {
            assert_eq!(select(unknown), Selection::default(), "{unknown}");
        }
    }

    #[test]
    fn tls_1_3_names_stand_apart() {
        let both = select("TLS_CHACHA20_POLY1305_SHA256:HIGH:TLS_AES_128_GCM_SHA256:TLS_AES_128_GCM_SHA256");
        let names: Vec<_> = both.tls13.iter().map(|suite| suite.name).collect();
        assert_eq!(names, ["TLS_CHACHA20_POLY1305_SHA256", "TLS_AES_128_GCM_SHA256"]);
        assert_eq!(both.tls12.len(), 6);
    }

    #[test]
    fn every_suite_of_ours_is_in_the_table() {
        let both =
            |suite: &&Suite| known().any(|cipher| cipher.name == suite.name && cipher.iana == suite.iana);
        assert_eq!(super::super::suites::SUITES.iter().filter(both).count(), 6);
        assert!(known().all(|cipher| !cipher.classes.is_empty()));
    }
}
