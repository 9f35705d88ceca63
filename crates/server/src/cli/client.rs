//! `client list`, `client add`, `client secret`, `client rotate`.

use std::process::ExitCode;

use app::{ClientRow, NewClient};
use clap::Subcommand;
use domain::ClientId;
use serde_json::{Value, json};

use super::{Context, OfCompany};
use crate::output::{Failure, print, remark, table};

/// Manage API clients and their webhook secrets
#[derive(Debug, Subcommand)]
pub enum Client {
    /// List a company's API clients
    List {
        #[command(flatten)]
        of: OfCompany,
    },
    /// Add an API client and show its webhook secret
    Add {
        #[command(flatten)]
        of: OfCompany,
        /// The client's name
        #[arg(long)]
        name: String,
        /// Make all its documents tests, for life: marked on every page, and no mail or text message leaves
        #[arg(long)]
        test: bool,
    },
    /// Print only the secret that signs a client's webhooks
    Secret {
        #[command(flatten)]
        of: OfCompany,
        /// The client's ID; the default client if omitted
        #[arg(value_parser = client_id)]
        client: Option<ClientId>,
    },
    /// Replace a client's webhook secret; the old one also signs for one more day
    Rotate {
        #[command(flatten)]
        of: OfCompany,
        /// The client's ID; the default client if omitted
        #[arg(value_parser = client_id)]
        client: Option<ClientId>,
    },
}

impl Client {
    pub fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        let app = context.open()?.app;
        match self {
            Client::List { of } => {
                let clients = app.clients(&of.operator(&app)?)?;
                let values: Vec<Value> = clients
                    .iter()
                    .map(|client| {
                        json!({
                            "client_id": client.id,
                            "name": client.name,
                            "default": client.is_default,
                            "test": client.is_test,
                            "created_at": client.created_at,
                            "previous_secret_until": client.previous_until,
                        })
                    })
                    .collect();
                let rows: Vec<Vec<String>> = clients
                    .iter()
                    .map(|client| {
                        let kind = match client {
                            ClientRow { is_default: true, .. } => "default",
                            ClientRow { is_test: true, .. } => "test",
                            _ => "",
                        };
                        vec![client.id.to_string(), client.name.clone(), kind.to_owned()]
                    })
                    .collect();
                print(
                    context.json,
                    &Value::from(values),
                    &table(&["CLIENT_ID", "NAME", ""], &rows),
                );
            }
            Client::Add { of, name, test } => show(context, &app.add_client(&of.operator(&app)?, &name, test)?),
            Client::Secret { of, client } => {
                let client = app.client_secret(&of.operator(&app)?, client)?;
                remark(context.json, &format!("The webhook secret of client {}:", client.id));
                print(context.json, &value(&client), &client.secret.expose());
            }
            Client::Rotate { of, client } => show(context, &app.rotate_client_secret(&of.operator(&app)?, client)?),
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn show(context: &Context, client: &NewClient) {
    let (id, secret) = (client.id, client.secret.expose());
    print(
        context.json,
        &value(client),
        &format!("client_id       {id}\nwebhook secret  {secret}\n"),
    );
}

fn value(client: &NewClient) -> Value {
    json!({"client_id": client.id, "webhook_secret": client.secret.expose()})
}

fn client_id(text: &str) -> Result<ClientId, String> {
    ClientId::parse(text).ok_or_else(|| "a client_id must be a UUID".to_owned())
}
