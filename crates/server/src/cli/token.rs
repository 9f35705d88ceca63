//! `token list`, `token revoke`.

use std::process::ExitCode;

use clap::Subcommand;
use serde_json::{Value, json};

use super::{Context, OfCompany};
use crate::output::{Failure, print, table};

/// List and revoke access tokens
#[derive(Debug, Subcommand)]
pub enum Token {
    /// List a company's access tokens; the tokens themselves are not stored
    List {
        #[command(flatten)]
        of: OfCompany,
    },
    /// Revoke an access token immediately
    Revoke {
        #[command(flatten)]
        of: OfCompany,
        /// The token's number in the list
        id: i64,
    },
}

impl Token {
    pub fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        let app = context.open()?.app;
        match self {
            Token::List { of } => {
                let operator = of.operator(&app)?;
                let (now, zone) = (app.now(), operator.zone());
                let tokens = app.tokens(&operator)?;
                let state = |token: &app::TokenRow| match token.revoked_at {
                    Some(_) => "revoked",
                    None if token.expires_at <= now => "expired",
                    None => "live",
                };
                let values: Vec<Value> = tokens
                    .iter()
                    .map(|token| {
                        json!({
                            "token": token.id,
                            "member": token.member,
                            "email": token.email,
                            "state": state(token),
                            "created_at": token.created_at,
                            "expires_at": token.expires_at,
                            "revoked_at": token.revoked_at,
                        })
                    })
                    .collect();
                let rows: Vec<Vec<String>> = tokens
                    .iter()
                    .map(|token| {
                        vec![
                            token.id.to_string(),
                            token.email.clone(),
                            state(token).to_owned(),
                            domain::time::format_with_zone(token.created_at, zone),
                            domain::time::format_with_zone(token.expires_at, zone),
                        ]
                    })
                    .collect();
                print(
                    context.json,
                    &Value::from(values),
                    &table(&["ID", "EMAIL", "STATE", "ISSUED", "ENDS"], &rows),
                );
            }
            Token::Revoke { of, id } => {
                let revoked = app.revoke_token(&of.operator(&app)?, id)?;
                let line = if revoked { "revoked" } else { "was already revoked" };
                print(
                    context.json,
                    &json!({"token": id, "revoked": revoked}),
                    &format!("token {id} {line}"),
                );
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}
