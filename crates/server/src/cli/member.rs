//! `member add`, `member set-password`, `member disable`, `member list`.

use std::io::{IsTerminal, Read};
use std::process::ExitCode;

use app::{NewMember, NewPassword};
use clap::Subcommand;
use domain::Role;
use serde_json::{Value, json};

use super::{Context, OfCompany};
use crate::output::{Failure, counted, joined, print, table};

/// Every acceptable password is shorter.
const LONGEST_INPUT: u64 = 4096;

/// Add and change members
#[derive(Debug, Subcommand)]
pub enum Member {
    /// Add a member; the password is read from standard input, or generated and shown once
    Add {
        #[command(flatten)]
        of: OfCompany,
        /// The e-mail address to sign in with
        #[arg(long)]
        email: String,
        /// The member's name; the e-mail address if omitted
        #[arg(long)]
        name: Option<String>,
        /// The member's role: owner, admin, sender or auditor
        #[arg(long, value_parser = role)]
        role: Role,
    },
    /// Set a new password, read from standard input or generated; ends all access tokens and sessions
    SetPassword {
        #[command(flatten)]
        of: OfCompany,
        /// The member's e-mail address
        #[arg(long)]
        email: String,
    },
    /// Disable a member; ends all access tokens and sessions
    Disable {
        #[command(flatten)]
        of: OfCompany,
        /// The member's e-mail address
        #[arg(long)]
        email: String,
    },
    /// List a company's members
    List {
        #[command(flatten)]
        of: OfCompany,
    },
}

impl Member {
    pub fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        let app = context.open()?.app;
        match self {
            Member::Add { of, email, name, role } => {
                let password = password_from_input()?;
                let new = NewMember {
                    email: email.clone(),
                    name,
                    role,
                    password,
                };
                show_password(context, &email, &app.add_member(&of.operator(&app)?, new)?);
            }
            Member::SetPassword { of, email } => {
                let set = app.set_member_password(&of.operator(&app)?, &email, password_from_input()?)?;
                show_password(context, &email, &set);
            }
            Member::Disable { of, email } => {
                let disabled = app.disable_member(&of.operator(&app)?, &email)?;
                let line = if disabled { "disabled" } else { "was already disabled" };
                print(
                    context.json,
                    &json!({"email": email, "disabled": disabled}),
                    &format!("{email} {line}"),
                );
            }
            Member::List { of } => list(context, &app.members(&of.operator(&app)?)?),
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn show_password(context: &Context, email: &str, set: &NewPassword) {
    let mut value = json!({"member": set.member, "email": email, "revoked_tokens": set.revoked_tokens});
    let mut lines = vec![format!("member    {} ({email})", set.member)];
    if let Some(made) = &set.made {
        value["password"] = Value::from(made.as_str());
        lines.push(format!("password  {made}"));
    }
    if set.revoked_tokens > 0 {
        let tokens = counted(set.revoked_tokens, "access token", "access tokens");
        lines.push(format!("revoked   {tokens}"));
    }
    print(context.json, &value, &joined(&lines));
}

fn list(context: &Context, members: &[store::member::Member]) {
    let values: Vec<Value> = members
        .iter()
        .map(|member| {
            json!({
                "member": member.id,
                "email": member.email,
                "name": member.name,
                "role": member.role,
                "created_at": member.created_at,
                "disabled_at": member.disabled_at,
            })
        })
        .collect();
    let rows: Vec<Vec<String>> = members
        .iter()
        .map(|member| {
            vec![
                member.id.to_string(),
                member.email.clone(),
                member.name.clone(),
                member.role.to_string(),
                member.disabled_at.map_or_else(String::new, |at| at.to_string()),
            ]
        })
        .collect();
    print(
        context.json,
        &Value::from(values),
        &table(&["ID", "EMAIL", "NAME", "ROLE", "DISABLED"], &rows),
    );
}

/// Reads the password that was piped in, without its line end. `None` at a terminal or if the input is empty.
fn password_from_input() -> Result<Option<String>, Failure> {
    let input = std::io::stdin();
    if input.is_terminal() {
        return Ok(None);
    }
    let mut text = String::new();
    let unreadable =
        |error: std::io::Error| Failure::Other(format!("the password cannot be read from standard input: {error}"));
    input
        .lock()
        .take(LONGEST_INPUT)
        .read_to_string(&mut text)
        .map_err(unreadable)?;
    let password = text.strip_suffix('\n').unwrap_or(&text);
    let password = password.strip_suffix('\r').unwrap_or(password);
    Ok((!password.is_empty()).then(|| password.to_owned()))
}

fn role(text: &str) -> Result<Role, String> {
    Role::parse(text).ok_or_else(|| "use owner, admin, sender or auditor".to_owned())
}
