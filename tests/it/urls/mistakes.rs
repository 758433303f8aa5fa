//! Lists and options that cannot be meant: each is named, with its place, before anything is sent.

use super::{List, site};
use crate::support::rab::rab;

/// Fails unless this list is refused with this message, and nothing was sent; `SERVER` stands for a server's address.
#[track_caller]
fn assert_refused(options: &str, url: &str, text: impl AsRef<[u8]>, message: &str) {
    let server = site();
    let address = format!("127.0.0.1:{}", server.port());
    let text: Vec<u8> = match std::str::from_utf8(text.as_ref()) {
        Ok(text) => text.replace("SERVER", &address).into(),
        Err(_) => text.as_ref().to_vec(),
    };
    let done = List::new(text).run(options, &url.replace("SERVER", &address));
    let expected = format!("rab: {}", message.replace("SERVER", &address));
    assert_eq!(
        (done.code(), done.stdout.as_str(), done.messages()),
        (1, "", vec![expected.as_str()]),
        "{done}"
    );
    assert!(server.connections().is_empty(), "{done}");
}

#[test]
fn the_line_is_named() {
    let refused = |text: &str, message: &str| assert_refused("", "http://SERVER/", text, message);
    refused("/a\n\nGE(T /b\n", "list:3: 'GE(T' is neither a method nor a URL with a path");
    refused(
        "/a\r\nhttp://127.0.0.2:81/b\r\n",
        "list:2: http://127.0.0.2:81 is another server than http://SERVER",
    );
    refused("https://SERVER/\n", "list:1: https://SERVER is another server than http://SERVER");
    refused("/a @none\n", "list:1: Could not open POST data file (none): No such file or directory");
    refused("#\n/a @.\n", "list:2: Could not read POST data file: Is a directory");
    refused("GET\n", "list:1: there is no URL after 'GET'; a path begins with /");
    refused(
        "/\n/a b\n",
        "list:2: only @BODYFILE may follow the URL, not 'b'; the method stands in front, and a blank is \
                          written %20",
    );
    refused("/\u{7}\n", "list:1: invalid URL");
    refused("gopher://h/\n", "list:1: gopher:// is not supported");
    refused("http://SERVER\n", "list:1: invalid URL");
    refused("", "list: there is no URL in the list");
    refused("# only\n   \r\n", "list: there is no URL in the list");
    assert_refused(
        "",
        "",
        "/a\n",
        "list:1: the first line is a whole URL unless the command line names the server",
    );
    assert_refused("--http1.1", "http://SERVER/", "/a\n/<b>\n", "list:2: the hyper engine takes no such URL");
    assert_refused(
        "",
        "http://SERVER/",
        b"/\xff\xfe\nG\xff /\n",
        "list:2: 'G\u{fffd}' is neither a method nor a URL with a path",
    );
    assert_refused("--urls none", "http://SERVER/", "", "--urls none: No such file or directory");
    assert_refused("--urls .", "http://SERVER/", "", "--urls .: Is a directory");
    assert_refused("--urls /dev/zero", "http://SERVER/", "", "--urls /dev/zero: a list has 256 MiB at most");
}

#[test]
fn a_hint_says_what_to_write() {
    let done = List::new("http://h\n").run("", "");
    assert_eq!(done.hints(), ["hint: a / ends the host: http://h/"], "{done}");
    let done = List::new("/a\n").run("", "");
    assert!(done.hints()[0].contains("http://host/"), "{done}");
    let done = List::new("http://a/\nhttp://b/\n").run("", "");
    assert_eq!(done.hints(), ["hint: all URLs of a list are on one server"], "{done}");
}

#[test]
fn options_without_a_list_are_usage_errors() {
    rab(["--by-url", "http://h/"])
        .assert_usage_error("--by-url is about the list of --urls, and there is none");
    rab(["--shuffle", "1", "http://h/"]).assert_usage_error("--shuffle is about the list of --urls");
    rab(["--urls", "l", "--shuffle", "x"]).assert_usage_error("--shuffle takes a whole number, not 'x'");
    rab(["--urls", "l", "h/", "h/"]).assert_usage_error("wrong number of arguments");
    rab(["--urls", "-", "-p", "-", "h/"]).assert_usage_error("cannot both come from standard input");
    List::new("/a\n")
        .run("", "http://h/doc")
        .assert_usage_error("beside --urls the URL names the server alone");
    let done = List::new("/a\n/b\n").run("-c 3", "http://h/");
    done.assert_usage_error("Cannot use concurrency level greater than total number of requests");
    done.assert_hint(&["without -n each of the 2 lines of the list has one request"]);
}

#[test]
fn a_list_on_standard_input_leaves_no_body_there() {
    let done = List::new("").ready("--urls -", "http://h/").input(b"/a\n/b @-\n").run();
    let message = "rab: standard input:2: standard input is the list, so that no body can come from it";
    assert_eq!((done.code(), done.messages()), (1, vec![message]), "{done}");
}
