use super::*;

fn load(text: &str, variables: &[(&str, &str)]) -> Result<Configuration, ConfigurationFault> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("countersign.toml");
    std::fs::write(&path, text).expect("a file");
    let variables = variables
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    Configuration::load_from(Some(&path), variables)
}

#[test]
fn variables_win_over_the_file_and_the_file_over_defaults() {
    let file = "[server]\nlisten = '0.0.0.0:80'\n[webhook]\nports = [9000]\nallow_http = true";
    let variables = [
        ("COUNTERSIGN_WEBHOOK__PORTS", "[9443, 9444]"),
        ("COUNTERSIGN_WEBHOOK__ALLOW_PRIVATE", "true"),
        ("COUNTERSIGN_MAIL__SMTP__HOST", "mail.example.com"),
        ("COUNTERSIGN_MAIL__SMTP__FROM", "sign@example.com"),
        ("COUNTERSIGN_MAIL__SMTP__USER", "007"),
        ("COUNTERSIGN_MAIL__SMTP__PASSWORD", "12345"),
        ("COUNTERSIGN_DATA", "not a setting"),
        ("OTHER__VARIABLE", "none of ours"),
    ];
    let configuration = load(file, &variables).expect("a configuration");
    assert_eq!(configuration.server.listen, "0.0.0.0:80");
    assert_eq!(configuration.webhook.ports, [9443, 9444]);
    assert!(configuration.webhook.allow_http && configuration.webhook.allow_private);
    assert_eq!(configuration.api.auth_scheme, "service");
    let mail = configuration.mail().expect("mail").expect("a server");
    let Some((user, delivery::MailLogin::Password(password))) = &mail.login else {
        panic!("no password");
    };
    assert_eq!((mail.port, user.as_str(), password.expose()), (587, "007", "12345"));
}

#[test]
fn each_bound_of_public_links_reaches_what_it_bounds() {
    let file = "[public_links]\nhourly_per_addressee = 2\nhourly_per_link = 3\nper_network_address = 4";
    let configuration = load(file, &[]).expect("a configuration");
    let bounds = configuration.app(None).expect("settings").public_links;
    let of_network = configuration.http().expect("settings").link_starts;
    assert_eq!((bounds.of_addressee, bounds.of_link, of_network), (2, 3, 4));
}

#[test]
fn a_messengers_credentials_come_from_variables_and_files_and_do_not_show() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("secret");
    std::fs::write(&path, "of-the-file\n").expect("a file");
    let file = format!(
        "[messenger.kr]\nprofile = 'solapi'\nfrom = '0212345678'\nkey = 'of-the-key'\nsecret_file = {:?}",
        path.display().to_string()
    );
    let configuration = load(&file, &[("COUNTERSIGN_MESSENGER__KR__FROM", "0311234567")]).expect("a configuration");
    let gateway = configuration
        .gateway("kr", &configuration.messenger["kr"])
        .expect("a gateway");
    assert_eq!(
        (gateway.from.as_str(), gateway.secret.as_str()),
        ("0311234567", "of-the-file")
    );
    assert_eq!(gateway.countries, ["+82"]);
    let variables = [
        ("COUNTERSIGN_MESSENGER__KR__PROFILE", "solapi"),
        ("COUNTERSIGN_MESSENGER__KR__KEY", "00990011"),
        ("COUNTERSIGN_MESSENGER__KR__SECRET", "99887766"),
        ("COUNTERSIGN_MESSENGER__KR__FROM", "0212345678"),
        ("COUNTERSIGN_MESSENGER__KR__ORDER", "3"),
        ("COUNTERSIGN_MESSENGER__KR__COUNTRIES", "[\"+82\", \"+1\"]"),
        ("COUNTERSIGN_MESSENGER__KR__TEMPLATES__REQUEST", "0815"),
    ];
    let alone = load("", &variables).expect("a configuration");
    let of_variables = alone.gateway("kr", &alone.messenger["kr"]).expect("a gateway");
    assert_eq!(
        (of_variables.key.as_str(), of_variables.secret.as_str()),
        ("00990011", "99887766")
    );
    assert_eq!(
        (of_variables.order, of_variables.templates["request"].as_str()),
        (3, "0815")
    );
    assert_eq!(of_variables.countries, ["+82", "+1"]);
    for shown in [
        format!("{configuration:?} {gateway:?}"),
        format!("{alone:?} {of_variables:?}"),
    ] {
        for secret in ["of-the-file", "of-the-key", "00990011", "99887766"] {
            assert!(!shown.contains(secret), "{shown}");
        }
    }
}

#[test]
fn an_unknown_name_is_an_error_that_names_it() {
    let in_file = load("[webhook]\nallow_htp = true", &[])
        .expect_err("misspelt")
        .to_string();
    assert!(in_file.contains("allow_htp"), "{in_file}");
    let variable = load("", &[("COUNTERSIGN_WEBHOK__ALLOW_HTTP", "true")])
        .expect_err("misspelt")
        .to_string();
    assert!(variable.contains("COUNTERSIGN_WEBHOK__ALLOW_HTTP"), "{variable}");
    let wrong_type = load("", &[("COUNTERSIGN_WEBHOOK__ALLOW_HTTP", "perhaps")])
        .expect_err("no boolean")
        .to_string();
    assert!(wrong_type.contains("COUNTERSIGN_WEBHOOK__ALLOW_HTTP"), "{wrong_type}");
}

#[test]
fn secrets_come_from_files_and_do_not_show() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("url");
    std::fs::write(&path, "postgres://u:secret@db/x\n").expect("a file");
    let file = format!("[database]\nurl_file = {:?}", path.display().to_string());
    let configuration = load(&file, &[]).expect("a configuration");
    match configuration.store(folder.path()).expect("a database") {
        store::Settings::Postgres { url, .. } => assert_eq!(url.expose(), "postgres://u:secret@db/x"),
        other @ store::Settings::Sqlite { .. } => panic!("{other:?}"),
    }
    let given = load("[database]\nurl = 'postgres://u:secret@db/x'", &[]).expect("a configuration");
    assert!(!format!("{given:?}").contains("secret@"), "{given:?}");
    std::fs::remove_file(&path).expect("gone");
    let missing = configuration.store(folder.path()).expect_err("missing").to_string();
    assert!(missing.contains("database.url_file"), "{missing}");
}

#[test]
fn the_public_url_is_scheme_and_host_without_a_slash() {
    let url = |text: &str| {
        load(&format!("[server]\npublic_url = '{text}'"), &[])
            .and_then(|configuration| configuration.app(None).map(|settings| settings.public_url))
    };
    assert_eq!(
        url("https://sign.example.com/").expect("a URL"),
        "https://sign.example.com"
    );
    assert_eq!(
        url("https://example.com/sign/").expect("a URL"),
        "https://example.com/sign"
    );
    for wrong in [
        "sign.example.com",
        "https://",
        "ftp://example.com",
        "https://a@example.com",
        "https://e.com/?q",
    ] {
        assert!(url(wrong).is_err(), "{wrong}");
    }
    let bound = "127.0.0.1:4711".parse().ok();
    let default = Configuration::default().app(bound).expect("settings");
    assert_eq!(default.public_url, "http://127.0.0.1:4711");
}

#[test]
fn a_file_that_is_not_there_is_an_error() {
    let fault = Configuration::load(Some(Path::new("no-such-file.toml")))
        .expect_err("missing")
        .to_string();
    assert!(fault.contains("no-such-file.toml"), "{fault}");
}

/// Returns the sample configuration from the documentation.
fn documented() -> String {
    let text = include_str!("../../../../docs/configuration.md");
    let (_, rest) = text.split_once("```toml\n").expect("a sample");
    rest.split_once("```").expect("its end").0.to_owned()
}

/// Returns the sample with all commented-out settings enabled, except the secret files, which do not exist.
fn documented_in_full() -> String {
    documented()
        .lines()
        .filter(|line| !line.contains("_file = "))
        .map(|line| match line.strip_prefix("# ") {
            Some(setting) if setting.starts_with('[') || setting.contains(" = ") => setting,
            _ => line,
        })
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn the_documented_sample_can_be_used_as_it_is_and_changes_nothing() {
    let sample = load(&documented(), &[]).expect("a configuration");
    let json = |configuration: &Configuration| serde_json::to_value(configuration).expect("JSON");
    assert_eq!(json(&sample), json(&Configuration::default()));
}

#[test]
fn what_the_sample_has_as_comments_is_understood_too() {
    let configuration = load(&documented_in_full(), &[]).expect("a configuration");
    assert_eq!(
        configuration.server.public_url.as_deref(),
        Some("https://sign.example.com")
    );
    assert!(configuration.mail().expect("a mail server").is_some());
    assert!(configuration.messengers().expect("gateways").is_some());
    configuration.egress().expect("the way out");
    configuration.http().expect("the web side's settings");
    configuration.app(None).expect("the use-cases' settings");
}

#[test]
fn every_setting_is_documented() {
    let documented = documented();
    let everything = load(&documented_in_full(), &[]).expect("a configuration");
    let mut undocumented = Vec::new();
    let mut seek = |section: &str, settings: &serde_json::Value| {
        for key in settings.as_object().expect("settings").keys() {
            let written = [
                format!("\n{key} = "),
                format!("\n# {key} = "),
                format!("[{section}.{key}]"),
            ];
            if !written.iter().any(|form| documented.contains(form)) {
                undocumented.push(format!("{section}.{key}"));
            }
        }
    };
    let value = serde_json::to_value(everything).expect("JSON");
    for (section, settings) in value.as_object().expect("sections") {
        seek(section, settings);
    }
    seek("mail.smtp", &value["mail"]["smtp"]);
    seek("mail.smtp.oauth", &value["mail"]["smtp"]["oauth"]);
    seek("messenger.house", &value["messenger"]["house"]);
    seek("messenger.house.answer", &value["messenger"]["house"]["answer"]);
    assert_eq!(undocumented, Vec::<String>::new());
}

/// The file's text, the variables, and the beginning of the error. FILE represents the file's path.
type Faulty = (&'static str, &'static [(&'static str, &'static str)], &'static str);

fn assert_named(cases: &[Faulty]) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("countersign.toml");
    for (text, variables, named) in cases {
        std::fs::write(&path, text).expect("a file");
        let variables: Vec<_> = variables
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        let fault = Configuration::load_from(Some(&path), variables.into_iter())
            .and_then(|configuration| {
                configuration.mail()?;
                configuration.messengers()?;
                configuration.egress()?;
                configuration.http()?;
                configuration.app(None).map(drop)
            })
            .expect_err(text)
            .to_string();
        let named = named.replace("FILE", &path.display().to_string());
        assert!(fault.starts_with(&named), "{text}: {fault}");
        for ours in ["default.", "TOML source", "environment variables", "us:pass"] {
            assert!(!fault.contains(ours), "{fault}");
        }
    }
}

#[test]
fn a_fault_names_the_setting_as_it_was_written() {
    assert_named(&[
        ("foo = 1", &[], "FILE: foo is not a section"),
        ("[foo]\nbar = 1", &[], "FILE: foo is not a section"),
        (
            "[webhook]\nallow_htp = true",
            &[],
            "FILE: webhook.allow_htp is not a setting; [webhook] has",
        ),
        ("[webhook]\nports = ['a']", &[], "FILE: webhook.ports: "),
        ("[webhook]\nallow_http = 'yes'", &[], "FILE: webhook.allow_http: "),
        ("[webhook", &[], "FILE: "),
        ("[server]\npublic_url = 'example.com'", &[], "FILE: server.public_url: "),
        (
            "[server]\ntrusted_proxies = ['x']",
            &[],
            "FILE: server.trusted_proxies: ",
        ),
        (
            "[network]\nproxy = 'https://us:pass@proxy:3128'",
            &[],
            "FILE: network.proxy: ",
        ),
        (
            "",
            &[("COUNTERSIGN_NETWORK__PROXY", "proxy:3128")],
            "COUNTERSIGN_NETWORK__PROXY: ",
        ),
        (
            "",
            &[("COUNTERSIGN_WEBHOOK__PORTS", "[x]")],
            "COUNTERSIGN_WEBHOOK__PORTS: ",
        ),
        (
            "",
            &[("COUNTERSIGN_WEBHOOK__PORT", "1")],
            "COUNTERSIGN_WEBHOOK__PORT is not a setting; [webhook] has",
        ),
        (
            "",
            &[("COUNTERSIGN_WEBHOK__PORTS", "1")],
            "COUNTERSIGN_WEBHOK__PORTS is not a section",
        ),
        (
            "",
            &[("COUNTERSIGN_SERVER__PUBLIC_URL", "x")],
            "COUNTERSIGN_SERVER__PUBLIC_URL: ",
        ),
    ]);
}

#[test]
fn a_fault_names_the_setting_of_mails_and_messengers_as_it_was_written() {
    assert_named(&[
        (
            "[mail.smtp]\nhost = 'smtp.example.com'\nfrom = 'a@example.com'\n[mail.smtp.oauth]\nclient_id = 'x'\ntoken_url = 'https://login.example.com/token'\nclient_secret = 'us:pass'",
            &[],
            "mail.smtp.oauth: set mail.smtp.user too",
        ),
        (
            "[mail.smtp]\nhost = 'smtp.example.com'\nfrom = 'a@example.com'\nuser = 'a'\n[mail.smtp.oauth]\nclient_id = 'x'\ntoken_url = 'https://login.example.com/token'",
            &[],
            "mail.smtp.oauth: set mail.smtp.oauth.client_secret",
        ),
        (
            "[mail.smtp]\nhost = 'smtp.example.com'\nfrom = 'a@example.com'\nuser = 'a'\n[mail.smtp.oauth]\nclient_id = 'x'\ntoken_url = 'http://login.example.com/token'\nclient_secret = 'us:pass'",
            &[],
            "FILE: mail.smtp.oauth.token_url: use https",
        ),
        (
            "[mail.smtp]\nhost = 'smtp.example.com'\nfrom = 'a@example.com'\nuser = 'a'\n[mail.smtp.oauth]\nclient_id = 'x'\ntoken_url = 'us:pass'\nclient_secret = 'x'",
            &[],
            "FILE: mail.smtp.oauth.token_url: it must be the address",
        ),
        (
            "[mail.smtp]\nhost = 'smtp.example.com'\nfrom = 'a@example.com'\nuser = 'a'\ntls = 'none'\n[mail.smtp.oauth]\nclient_id = 'x'\ntoken_url = 'https://login.example.com/token'\nclient_secret = 'x'",
            &[],
            "FILE: mail.smtp.tls: an access token is as good as a password",
        ),
        (
            "[mail.smtp]\nhost = 'smtp.example.com'",
            &[],
            "mail.smtp.from is missing: set it in ",
        ),
        (
            "",
            &[("COUNTERSIGN_MAIL__SMTP__HOST", "h")],
            "mail.smtp.from is missing: set it in ",
        ),
        (
            "[mail.smtp]\nhost = 'smtp.example.com'\nfrom = 'nobody'",
            &[],
            "FILE: mail.smtp.from: ",
        ),
        (
            "[mail.smtp]\nhost = 'smtp.example.com'\nfrom = 'a@b.c'\nuser = 'x'",
            &[],
            "FILE: mail.smtp.user: ",
        ),
        (
            "[mail.smtp]\nhost = 'smtp.example.com'",
            &[("COUNTERSIGN_MAIL__SMTP__FROM", "nobody")],
            "COUNTERSIGN_MAIL__SMTP__FROM: ",
        ),
        (
            "[messenger.a]\nprofile = 'smoke'",
            &[],
            "FILE: messenger.a.profile: smoke is not a profile; the profiles are solapi, ",
        ),
        ("[messenger.a]", &[], "messenger.a.address: it is missing"),
        (
            "[messenger.a]\nprofile = 'twilio'\naccount = 'AC1'\nsecret = 'x'",
            &[],
            "messenger.a.from: it is missing",
        ),
        (
            "[messenger.a]\naddress = 'http://example.com'\nbody = '{}'",
            &[],
            "FILE: messenger.a.address: ",
        ),
        (
            "[messenger.a]\naddress = 'https://example.com'\nbody = '{\"to\": \"{{ too }}\"}'",
            &[],
            "FILE: messenger.a.body: undefined value",
        ),
        (
            "[messenger.a]\naddress = 'https://example.com'\nbody = '{'",
            &[],
            "FILE: messenger.a.body: ",
        ),
        (
            "[messenger.a]\naddress = 'https://example.com'\nbody = '{}'\ncountries = ['KR']",
            &[],
            "FILE: messenger.a.countries: ",
        ),
        (
            "[messenger.a]\nadress = 'https://example.com'",
            &[],
            "FILE: messenger.a.adress is not a setting; [messenger.a] has ",
        ),
    ]);
}
