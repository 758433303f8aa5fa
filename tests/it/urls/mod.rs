//! Many URLs: `--urls`, `--shuffle`, `--by-url`, from outside.

mod length;
mod limits;
mod mistakes;
mod order;
mod table;

use std::ffi::OsStr;
use std::fs;

use tempfile::TempDir;

use crate::support::rab::{Done, Rab};
use crate::support::server::{Plan, Reply, Server, Step, answer};

/// A folder with a list, and the files that it names.
struct List(TempDir);

impl List {
    /// A list with this text, in the file `list`.
    fn new(text: impl AsRef<[u8]>) -> Self {
        let list = Self(tempfile::tempdir().unwrap());
        list.file("list", text)
    }

    /// And one more file.
    fn file(self, name: &str, content: impl AsRef<[u8]>) -> Self {
        fs::write(self.0.path().join(name), content).unwrap();
        self
    }

    /// The program in this folder, with the list and with options that have no blanks inside; `url` comes last.
    fn ready(&self, options: &str, url: &str) -> Rab {
        let words = ["--urls", "list"].into_iter().chain(options.split_whitespace()).chain([url]);
        Rab::new(words.filter(|word| !word.is_empty()).map(OsStr::new)).folder(self.0.path())
    }

    /// Runs it to its end.
    fn run(&self, options: &str, url: &str) -> Done {
        self.ready(options, url).run()
    }
}

/// So many paths, no two of them the same.
fn paths(count: usize) -> Vec<String> {
    (0..count).map(|number| format!("/{number}")).collect()
}

/// The URL that names the server alone.
fn origin(server: &Server) -> String {
    format!("http://127.0.0.1:{}/", server.port())
}

/// Method and target of a request.
fn request_line(request: &[u8]) -> String {
    let text = String::from_utf8_lossy(request);
    text.split(" HTTP/1.").next().unwrap().to_owned()
}

/// A whole answer, whose document has this length; none of it comes where HEAD was asked for. The connection stays open.
fn document(request: &[u8], status: &str, length: usize) -> Reply {
    let mut reply = answer(status, &["Connection: keep-alive"], &vec![b'x'; length], Step::Keep);
    if request.starts_with(b"HEAD ")
        && let Some(Step::Send(bytes)) = reply.first_mut()
    {
        *bytes = bytes[..bytes.len() - length].into();
    }
    reply
}

/// A server whose documents are as long as their request line.
fn site() -> Server {
    Plan::by(|_, request| document(request, "200 OK", request_line(request).len())).start()
}
