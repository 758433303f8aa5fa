//! What is asked for: the URL of the command line, or the lines of a list (`--urls`) as the command line completes them.
//!
//! In come the arguments and the list, out goes [`Asked`]: the server, and one [`Turn`] a line. The rules:
//!
//! - All of it is on one server, since connections, TLS and the report are about one. That is the server of the URL on the
//!   command line, which then names no document, or else that of the first line.
//! - A line that names a method stands for itself. Any other is asked for as the command line says: by the method of `-m`,
//!   `-i`, `-p` or `-u`, and with the body of `-p` or `-u` unless it has its own. A body alone makes a POST.
//! - A body file is found like that of `-p`, from the working directory, and read once however many lines name it.
//!
//! Every mistake is one of the list's line, and is named by it.

use std::borrow::Cow;
use std::ffi::OsStr;

use super::Target;
use super::bodies::Bodies;
use super::list::{self, Line, Mistake, lines};
use super::location::{Location, locate, path};
use crate::args::{Args, Refusal, shown_bytes};

/// More lines than this are refused: each is prepared, and kept, before the run.
const MOST_TURNS: usize = 1_000_000;

/// What is asked for, in order.
pub(super) struct Asked<'a> {
    /// The server; the path is that of the first turn.
    pub(super) origin: Location,
    /// Never empty.
    pub(super) turns: Vec<Turn<'a>>,
    /// What is sent along.
    pub(super) bodies: Bodies,
    /// The list by its name; `None` for the URL of the command line.
    list: Option<String>,
}

/// One request, but for what all have in common.
pub(super) struct Turn<'a> {
    /// The line of the list, counted from 1.
    line: usize,
    /// A token.
    pub(super) method: &'a str,
    /// Path and query as typed, without the fragment.
    pub(super) path: Cow<'a, [u8]>,
    /// The number of its body in [`Bodies`].
    pub(super) body: Option<usize>,
    /// `user:password` of a URL, percent-decoded.
    pub(super) credentials: Option<Vec<u8>>,
}

impl<'a> Asked<'a> {
    /// The URL of the command line, with the body that was read for it.
    pub(super) fn one(args: &'a Args, url: &OsStr, bodies: Bodies) -> Result<Self, Refusal> {
        let origin = locate(url.as_encoded_bytes())?;
        let turn = Turn {
            line: 0,
            method: args.method.as_deref().unwrap_or("GET"),
            path: origin.target.path.clone().into(),
            body: bodies.of_command_line,
            credentials: origin.credentials.clone(),
        };
        Ok(Self { origin, turns: vec![turn], bodies, list: None })
    }

    /// The lines of a list: its name and its bytes. `url` is that of the command line, if there is one. Adds to `remarks`
    /// what may not be meant.
    pub(super) fn listed(
        args: &'a Args,
        (file, text): (&OsStr, &'a [u8]),
        url: Option<&OsStr>,
        mut bodies: Bodies,
        remarks: &mut Vec<String>,
    ) -> Result<Self, Refusal> {
        let name = list::name(file);
        let mut origin = url.map(server).transpose()?;
        let mut turns = Vec::new();
        for line in lines(text) {
            let line = line.map_err(|Mistake { number, what }| at(&name, number, Refusal::error(what)))?;
            let turn = if turns.len() == MOST_TURNS {
                Err(Refusal::error(format!("a list has {MOST_TURNS} URLs at most")))
            } else {
                turn(args, &line, &mut origin, &mut bodies)
            };
            turns.push(turn.map_err(|refusal| at(&name, line.number, refusal))?);
        }
        match (origin, turns.first()) {
            (Some(mut origin), Some(first)) => {
                if let Some(body) = bodies.of_command_line
                    && turns.iter().all(|turn| turn.body != Some(body))
                {
                    let what = "No line of the list takes the body of the command line: each has its own method or body.";
                    remarks.push(what.to_owned());
                }
                origin.target.path = first.path.to_vec();
                Ok(Self { origin, turns, bodies, list: Some(name) })
            }
            _ => Err(Refusal::error(format!("{name}: there is no URL in the list"))),
        }
    }

    /// Whether there is a list, be it of one line.
    pub(super) fn is_list(&self) -> bool {
        self.list.is_some()
    }

    /// Names the line that a refusal is about, if it is one of a list.
    pub(super) fn blame(&self, turn: &Turn<'_>, refusal: Refusal) -> Refusal {
        match &self.list {
            Some(list) => at(list, turn.line, refusal),
            None => refusal,
        }
    }

    /// What people call a turn: method, path, and the file of its body.
    pub(super) fn name(&self, turn: &Turn<'_>) -> Vec<u8> {
        let mut name = [turn.method.as_bytes(), b" ", &turn.path].concat();
        if let Some(file) = turn.body.and_then(|body| self.bodies.name(body)) {
            name.extend_from_slice(b" @");
            name.extend_from_slice(file.as_encoded_bytes());
        }
        name
    }
}

/// A mistake in a list is not one of the command line, so that no usage text follows.
fn at(list: &str, line: usize, refusal: Refusal) -> Refusal {
    let mut placed = Refusal::error(format!("{list}:{line}: {}", refusal.message));
    placed.hints = refusal.hints;
    placed
}

/// The URL beside a list.
fn server(url: &OsStr) -> Result<Location, Refusal> {
    let location = locate(url.as_encoded_bytes())?;
    if location.target.path != b"/" {
        let server = shown_bytes(&location.server);
        return Err(Refusal::usage("beside --urls the URL names the server alone, and no document")
            .hint(format!("write {server}/ and put the document into the list")));
    }
    Ok(location)
}

/// What a line asks for. The first one makes the origin, if the command line has not done that.
fn turn<'a>(
    args: &'a Args,
    line: &Line<'a>,
    origin: &mut Option<Location>,
    bodies: &mut Bodies,
) -> Result<Turn<'a>, Refusal> {
    let (own, path) = if line.url.starts_with(b"/") {
        (None, Cow::Borrowed(path(line.url)?))
    } else {
        let own = locate(line.url)?;
        let path = own.target.path.clone();
        (Some(own), Cow::Owned(path))
    };
    let origin = match (origin, &own) {
        (Some(origin), _) => origin,
        (unknown @ None, Some(own)) => unknown.insert(own.clone()),
        (None, None) => {
            return Err(Refusal::error(
                "the first line is a whole URL unless the command line names the server",
            )
            .hint("add http://host/ to the command line, or write http://host in front of the path"));
        }
    };
    let elsewhere = |own: &&Location| !is_same_server(&own.target, &origin.target);
    if let Some(own) = own.as_ref().filter(elsewhere) {
        let [there, here] = [&own.server, &origin.server].map(|server| shown_bytes(server));
        return Err(Refusal::error(format!("{there} is another server than {here}"))
            .hint("all URLs of a list are on one server"));
    }
    let own_body = line.body.map(|file| bodies.of_line(file, args)).transpose()?;
    let (default, body) = match line.method {
        Some(_) => (None, own_body),
        None => (args.method.as_deref(), own_body.or(bodies.of_command_line)),
    };
    let method = line.method.or(default).unwrap_or(if body.is_some() { "POST" } else { "GET" });
    let credentials = own.and_then(|own| own.credentials).or_else(|| origin.credentials.clone());
    Ok(Turn { line: line.number, method, path, body, credentials })
}

/// Scheme, host (in any case, RFC 3986, section 3.2.2) and port.
fn is_same_server(one: &Target, other: &Target) -> bool {
    (one.scheme, one.port) == (other.scheme, other.port) && one.host.eq_ignore_ascii_case(&other.host)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::plan::testing::{plan, quoted};
    use crate::plan::{Plan, Scheme};

    /// The plan of a command line with this list; messages call the list `list`.
    fn listed(options: &str, text: &str) -> Result<Plan, Refusal> {
        let folder = tempfile::tempdir().unwrap();
        let (list, body) = (folder.path().join("list"), folder.path().join("body"));
        fs::write(&body, "12345").unwrap();
        let text = text.replace("BODY", body.to_str().unwrap());
        fs::write(&list, text).unwrap();
        let options = options.replace("BODY", &quoted(&body));
        plan(&format!("--urls {} {options}", quoted(&list))).map_err(|mut refusal| {
            refusal.message = refusal.message.replace(list.to_str().unwrap(), "list");
            refusal
        })
    }

    /// Each turn of a pass: method, target and the bytes of the body.
    fn asked(options: &str, text: &str) -> Vec<String> {
        let Plan { requests, .. } = listed(options, text).unwrap();
        let turn = |ticket| {
            let request = &requests[requests.url_of(ticket)];
            let line = String::from_utf8(request.head.split(|byte| *byte == b'\r').next().unwrap().to_vec())
                .unwrap();
            let (line, _) = line.rsplit_once(' ').unwrap();
            let body = request.body.as_ref().map(|body| format!(" {}", body.len())).unwrap_or_default();
            assert!(line.starts_with(&*request.method));
            line.to_owned() + &body
        };
        (0..requests.turns()).map(turn).collect()
    }

    #[track_caller]
    fn assert_refused(options: &str, text: &str, message: &str) {
        let refusal = listed(options, text).unwrap_err();
        assert_eq!((refusal.message.as_str(), refusal.status, refusal.usage), (message, 1, false));
    }

    #[test]
    fn paths_and_urls_are_asked_for_on_one_server() {
        let text = "/a?x=1#y\nHTTP://H:80/b\nh/c\n/a?x=1\n//d\n";
        let targets = ["GET /a?x=1", "GET /b", "GET /c", "GET /a?x=1", "GET //d"];
        assert_eq!(asked("http://h/", text), targets);
        let Plan { target, requests, load, .. } = listed("http://h/", text).unwrap();
        assert_eq!((target.host.as_str(), target.path.as_slice()), ("h", b"/a?x=1".as_slice()));
        // The fourth line is the first one again.
        assert_eq!((requests.count(), requests.turns(), load.requests), (4, 5, 5));
        let Plan { target, requests, .. } = listed("-n 9", "https://h:8/a\n/b").unwrap();
        assert_eq!((target.scheme, target.port, requests.count()), (Scheme::Https, 8, 2));
        assert_eq!(asked("--demo", "/a\n"), ["GET /a"]);
        assert_eq!(asked("-X p:1 http://h/", "/a\nHTTP://H/b\n"), ["GET http://h/a", "GET http://h/b"]);
    }

    #[test]
    fn a_line_with_a_method_stands_for_itself() {
        let text = "/bare\nGET /own\nPATCH /own @BODY\n/body @BODY\n";
        let others =
            |bare: &str, body: &str| [bare, "GET /own", "PATCH /own 5", body].map(str::to_owned).to_vec();
        assert_eq!(asked("h/", text), others("GET /bare", "POST /body 5"));
        assert_eq!(asked("-m DELETE h/", text), others("DELETE /bare", "DELETE /body 5"));
        assert_eq!(asked("-p /dev/null h/", text), others("POST /bare 0", "POST /body 5"));
        assert_eq!(asked("-u /dev/null h/", text), others("PUT /bare 0", "PUT /body 5"));
        assert_eq!(asked("-p /dev/null -m A h/", text), others("A /bare 0", "A /body 5"));
        assert_eq!(asked("-i h/", "/a\n"), ["HEAD /a"]);
    }

    #[test]
    fn options_about_fields_are_for_all_and_credentials_of_a_url_for_itself() {
        let line = "-C c=1 -H 'X-A: 1' -T a/b http://u:p@h/";
        let Plan { requests, .. } = listed(line, "/a\n/b @BODY\nhttp://x:y@h/c\n").unwrap();
        let heads: Vec<_> = requests.iter().map(|request| String::from_utf8_lossy(&request.head)).collect();
        let [of_origin, own] = ["Basic dTpw\r\n", "Basic eDp5\r\n"];
        for (head, (credentials, with_type)) in
            heads.iter().zip([(of_origin, false), (of_origin, true), (own, false)])
        {
            assert!(head.contains("\r\nCookie: c=1\r\n") && head.contains("\r\nX-A: 1\r\n"), "{head}");
            assert!(head.contains(credentials), "{head}");
            assert_eq!(head.contains("\r\nContent-type: a/b\r\n"), with_type, "{head}");
        }
    }

    #[test]
    fn what_requests_can_share_they_do() {
        let Plan { requests, .. } = listed("--http1.1 h/", "/a\n/b @BODY\n/c\nPUT /d @BODY\n").unwrap();
        let all: Vec<_> = requests.iter().collect();
        assert!(std::sync::Arc::ptr_eq(&all[0].fields, &all[2].fields));
        assert_eq!(
            all[1].body.as_ref().map(|body| body.as_ptr()),
            all[3].body.as_ref().map(|body| body.as_ptr())
        );
        let hyper = all[3].for_hyper.as_ref().unwrap().message();
        assert_eq!((hyper.method().as_str(), hyper.uri().to_string().as_str()), ("PUT", "/d"));
        assert_eq!(hyper.headers()["content-length"], "5");
    }

    #[test]
    fn a_name_tells_urls_apart() {
        let text = "/a\nPOST /a\nPOST /a @/dev/null\nPOST /a @BODY\n/\u{e4}\u{85}\n";
        let Plan { requests, .. } = listed("h/", text).unwrap();
        let names = requests.names();
        assert_eq!((requests.count(), names.len()), (5, 5));
        assert_eq!([&*names[0], &*names[1], &*names[2]], ["GET /a", "POST /a", "POST /a @/dev/null"]);
        assert!(names[3].starts_with("POST /a @/") && &*names[4] == "GET /\u{e4}\\u{85}");
        assert!(!plan("h/").unwrap().requests.is_list());
    }

    #[test]
    fn every_mistake_is_named_by_its_line() {
        assert_refused(
            "h/",
            "/a\r\n\r\nG:T /b\r\n",
            "list:3: 'G:T' is neither a method nor a URL with a path",
        );
        assert_refused("h/", "/\nhttps://h/x", "list:2: https://h is another server than http://h");
        assert_refused("h:81/", "http://u@H:82/\n", "list:1: http://H:82 is another server than http://h:81");
        assert_refused("", "h/a\ng/b\n", "list:2: http://g is another server than http://h");
        assert_refused(
            "",
            "#\n/a\n",
            "list:2: the first line is a whole URL unless the command line names the server",
        );
        assert_refused(
            "h/",
            "/a\n/b @no/such\n",
            "list:2: Could not open POST data file (no/such): No such file or directory",
        );
        assert_refused("h/", "/a\nftp://h/\n", "list:2: ftp:// is not supported");
        assert_refused("h/", "GET h\n", "list:1: invalid URL");
        assert_refused("h/", "/a\u{1}\n", "list:1: invalid URL");
        assert_refused("--http1.1 h/", "/a\n/<b>\n", "list:2: the hyper engine takes no such URL");
        assert_refused("h/", "# nothing\n\n", "list: there is no URL in the list");
        assert_eq!(
            plan("--urls no/such h/").unwrap_err().message,
            "--urls no/such: No such file or directory"
        );
        assert_eq!(plan("--urls . h/").unwrap_err().message, "--urls .: Is a directory");
    }

    #[test]
    fn beside_a_list_the_url_names_no_document() {
        let refusal = listed("http://u:p@h:8/doc", "/a\n").unwrap_err();
        assert_eq!((refusal.status, refusal.hints.len()), (22, 1));
        assert!(refusal.hints[0].starts_with("write http://h:8/ and "), "{refusal}");
    }

    #[test]
    fn a_body_that_no_line_takes_and_a_list_shorter_than_c_are_pointed_out() {
        assert_eq!(listed("-p BODY h/", "GET /a\n/b @/dev/null\n").unwrap().remarks.len(), 1);
        assert_eq!(listed("-p BODY h/", "/a\n/b @/dev/null\n").unwrap().remarks.len(), 0);
        assert!(listed("-c 3 h/", "/a\n/b\n").unwrap_err().hints[0].contains("each of the 2 lines"));
        assert!(listed("-c 3 -n 2 h/", "/a\n/b\n").unwrap_err().hints.is_empty());
    }
}
