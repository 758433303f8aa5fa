//! The manual page and the completions: that `extra/` holds what the program makes, and that their readers take it.

use std::path::PathBuf;

use crate::support::needs;
use crate::support::rab::{Done, Rab, rab};

/// What `--generate` makes, and where it is kept.
const KEPT: [(&str, &str); 4] = [
    ("man", "man/rab.1"),
    ("bash", "completions/rab.bash"),
    ("zsh", "completions/_rab"),
    ("fish", "completions/rab.fish"),
];

/// With this in the environment, what is kept is written anew.
const UPDATE: &str = "UPDATE";

fn kept(file: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("extra").join(file)
}

/// Runs a script of a shell in the folder of the completions; `None` where that shell is missing.
fn in_shell(shell: &str, options: &[&str], script: &str) -> Option<Done> {
    needs::programs(&[shell]).then(|| {
        let home = tempfile::tempdir().unwrap();
        let script = format!("HOME={}; {script}", home.path().display());
        let script = if shell == "fish" { script.replacen("HOME=", "set -x HOME ", 1) } else { script };
        let done = Rab::of(shell, options.iter().copied().chain(["-c", &script]));
        done.folder(&kept("completions")).run()
    })
}

#[test]
fn what_is_kept_is_what_the_program_makes() {
    for (kind, file) in KEPT {
        let done = rab(["--generate", kind]);
        assert_eq!((done.code(), done.stderr.as_str()), (0, ""), "{done}");
        if std::env::var_os(UPDATE).is_some_and(|value| value == "1") {
            std::fs::write(kept(file), &done.stdout).unwrap();
        }
        let found = std::fs::read_to_string(kept(file)).unwrap_or_default();
        assert!(
            found == done.stdout,
            "extra/{file} is not what --generate {kind} makes; {UPDATE}=1 renews it"
        );
    }
}

#[test]
fn other_kinds_are_usage_errors() {
    rab(["--generate", "pdf"]).assert_usage_error("--generate takes man, bash, zsh or fish, not 'pdf'");
    rab(["--generate"]).assert_usage_error("option requires an argument -- generate");
}

#[test]
fn the_page_is_typeset_without_a_warning() {
    if !needs::programs(&["groff"]) {
        return;
    }
    let page = kept("man/rab.1");
    let done =
        Rab::of("groff", ["-man", "-Tascii", "-P-c", "-ww", "-rLL=80n", &page.display().to_string()]).run();
    assert_eq!((done.code(), done.stderr.as_str()), (0, ""), "{done}");
    let plain: String = {
        // Bold is struck twice: a character, a backspace, the character.
        let characters: Vec<char> = done.stdout.chars().collect();
        let struck = |at: usize| characters.get(at + 1) == Some(&'\u{8}');
        (0..characters.len())
            .filter(|&at| characters[at] != '\u{8}' && !struck(at))
            .map(|at| characters[at])
            .collect()
    };
    for line in [
        "RAB(1)                            User Commands                           RAB(1)",
        "\n       -X <proxy:port>\n",
        "place of rab's own.",
    ] {
        assert!(plain.contains(line), "{line}\n{plain}");
    }
}

#[test]
fn bash_completes() {
    // What the shell itself does: the words so far, and the function of the command.
    let complete = r#"
        compopt() { :; }
        complete_word() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _rab rab "${*: -1}" "${*: -2:1}"; echo "${COMPREPLY[*]}"; }
        source rab.bash; complete -p rab
        complete_word rab --eng
        complete_word rab -k --engine h
        complete_word rab -E _
        complete_word rab -k -p rab.f
        complete_word rab -c 3 -n 1
        complete_word rab -k http://h
    "#;
    let Some(done) = in_shell("bash", &["--norc"], complete) else { return };
    let expected = ["complete -o nosort -F _rab rab", "--engine", "hyper", "_rab", "rab.fish", "1", ""];
    assert_eq!(done.stdout.lines().collect::<Vec<_>>(), expected, "{done}");
    assert_eq!(done.stderr, "", "{done}");
}

#[test]
fn zsh_takes_its_completions() {
    let load = "autoload -Uz compinit && compinit -u -D && source ./_rab && print $_comps[rab]";
    let Some(done) = in_shell("zsh", &["-f"], load) else { return };
    assert_eq!((done.stdout.as_str(), done.stderr.as_str()), ("_rab\n", ""), "{done}");
}

#[test]
fn fish_completes() {
    let complete = "source ./rab.fish; for line in 'rab --engine ' 'rab -k -e rab.b' 'rab -c ' 'rab ra'
        complete -C $line; echo .
    end";
    let Some(done) = in_shell("fish", &["--no-config"], complete) else { return };
    assert_eq!(done.stdout, "hyper\nwire\n.\nrab.bash\n.\n.\n.\n", "{done}");
    assert_eq!(done.stderr, "", "{done}");
}
